// The Support Library as a loader holds it, and a small model on its first device.
#pragma once

#include <dlfcn.h>
#include <gtest/gtest.h>
#include <nnvk/support_library.h>

#include <array>
#include <cstdint>

namespace nnvk::test {

inline void* library() {
  static void* const kLibrary = ::dlopen(NNVK_SUPPORT_LIBRARY, RTLD_LAZY | RTLD_LOCAL | RTLD_NODELETE);
  return kLibrary;
}

inline const NnApiSLDriverImplFL8& whole_table() {
  using Function = NnApiSLDriverImpl* (*)();
  const auto function = reinterpret_cast<Function>(::dlsym(library(), "ANeuralNetworks_getSLDriverImpl"));
  EXPECT_NE(function, nullptr);
  return *reinterpret_cast<const NnApiSLDriverImplFL8*>(function());
}

inline const NnApiSLDriverImplFL5& table() { return whole_table().base; }

inline ANeuralNetworksDevice* first_device() {
  uint32_t count = 0;
  EXPECT_EQ(table().ANeuralNetworks_getDeviceCount(&count), 0);
  ANeuralNetworksDevice* device = nullptr;
  if (count > 0) {
    EXPECT_EQ(table().ANeuralNetworks_getDevice(0, &device), 0);
  }
  return device;
}

#define REQUIRE_DEVICE()           \
  if (first_device() == nullptr) { \
    GTEST_SKIP() << "no device";   \
  }

// y = a + b of two floats, compiled on the first device.
class Addition {
 public:
  explicit Addition(uint32_t size = 2) {
    const auto& t = table();
    EXPECT_EQ(t.ANeuralNetworksModel_create(&model_), 0);
    const ANeuralNetworksOperandType tensor{ANEURALNETWORKS_TENSOR_FLOAT32, 1, &size, 0.0F, 0};
    const ANeuralNetworksOperandType scalar{ANEURALNETWORKS_INT32, 0, nullptr, 0.0F, 0};
    for (const auto* type : {&tensor, &tensor, &scalar, &tensor}) {
      EXPECT_EQ(t.ANeuralNetworksModel_addOperand(model_, type), 0);
    }
    const int32_t none = ANEURALNETWORKS_FUSED_NONE;
    EXPECT_EQ(t.ANeuralNetworksModel_setOperandValue(model_, 2, &none, sizeof none), 0);
    const uint32_t in[] = {0, 1, 2};
    const uint32_t out[] = {3};
    EXPECT_EQ(t.ANeuralNetworksModel_addOperation(model_, ANEURALNETWORKS_ADD, 3, in, 1, out), 0);
    EXPECT_EQ(t.ANeuralNetworksModel_identifyInputsAndOutputs(model_, 2, in, 1, out), 0);
    EXPECT_EQ(t.ANeuralNetworksModel_finish(model_), 0);
    const ANeuralNetworksDevice* device = first_device();
    EXPECT_EQ(t.ANeuralNetworksCompilation_createForDevices(model_, &device, 1, &compilation_), 0);
  }
  ~Addition() {
    table().ANeuralNetworksExecution_free(execution_);
    table().ANeuralNetworksCompilation_free(compilation_);
    table().ANeuralNetworksModel_free(model_);
  }
  Addition(const Addition&) = delete;
  Addition& operator=(const Addition&) = delete;

  ANeuralNetworksCompilation* compilation() const { return compilation_; }
  int finish() const { return table().ANeuralNetworksCompilation_finish(compilation_); }
  // A new execution with inputs {1, 2} and {10, 20}.
  ANeuralNetworksExecution* execution() {
    const auto& t = table();
    t.ANeuralNetworksExecution_free(execution_);
    EXPECT_EQ(t.ANeuralNetworksExecution_create(compilation_, &execution_), 0);
    EXPECT_EQ(t.ANeuralNetworksExecution_setMeasureTiming(execution_, true), 0);
    EXPECT_EQ(t.ANeuralNetworksExecution_setInput(execution_, 0, nullptr, a_.data(), sizeof a_), 0);
    EXPECT_EQ(t.ANeuralNetworksExecution_setInput(execution_, 1, nullptr, b_.data(), sizeof b_), 0);
    EXPECT_EQ(t.ANeuralNetworksExecution_setOutput(execution_, 0, nullptr, y.data(), sizeof y), 0);
    return execution_;
  }

  std::array<float, 2> y{};

 private:
  ANeuralNetworksModel* model_ = nullptr;
  ANeuralNetworksCompilation* compilation_ = nullptr;
  ANeuralNetworksExecution* execution_ = nullptr;
  std::array<float, 2> a_{1, 2};
  std::array<float, 2> b_{10, 20};
};

}  // namespace nnvk::test
