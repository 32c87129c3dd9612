// Owners of C API objects and the small models that the tests of the C API use.
#pragma once

#include <android/NeuralNetworks.h>
#include <android/NeuralNetworksExtensions.h>
#include <gtest/gtest.h>
#include <sys/mman.h>
#include <unistd.h>

#include <array>
#include <cstdlib>
#include <cstring>
#include <initializer_list>
#include <memory>
#include <string>
#include <utility>
#include <vector>

namespace nnvk::test {

template <class T, void (*Free)(T*)>
struct Deleter {
  void operator()(T* object) const { Free(object); }
};
template <class T, void (*Free)(T*)>
using Owner = std::unique_ptr<T, Deleter<T, Free>>;

using ModelPointer = Owner<ANeuralNetworksModel, ANeuralNetworksModel_free>;
using CompilationPointer = Owner<ANeuralNetworksCompilation, ANeuralNetworksCompilation_free>;
using ExecutionPointer = Owner<ANeuralNetworksExecution, ANeuralNetworksExecution_free>;
using BurstPointer = Owner<ANeuralNetworksBurst, ANeuralNetworksBurst_free>;
using EventPointer = Owner<ANeuralNetworksEvent, ANeuralNetworksEvent_free>;
using MemoryPointer = Owner<ANeuralNetworksMemory, ANeuralNetworksMemory_free>;
using MemoryDescPointer = Owner<ANeuralNetworksMemoryDesc, ANeuralNetworksMemoryDesc_free>;

inline ANeuralNetworksDevice* cpu_device() {
  uint32_t count = 0;
  EXPECT_EQ(ANeuralNetworks_getDeviceCount(&count), ANEURALNETWORKS_NO_ERROR);
  ANeuralNetworksDevice* device = nullptr;
  EXPECT_EQ(ANeuralNetworks_getDevice(count - 1, &device), ANEURALNETWORKS_NO_ERROR);
  return device;
}

// In the order of the API: the CPU device is the last.
inline std::vector<ANeuralNetworksDevice*> devices() {
  uint32_t count = 0;
  EXPECT_EQ(ANeuralNetworks_getDeviceCount(&count), ANEURALNETWORKS_NO_ERROR);
  std::vector<ANeuralNetworksDevice*> list(count);
  for (uint32_t i = 0; i < count; ++i) EXPECT_EQ(ANeuralNetworks_getDevice(i, &list[i]), ANEURALNETWORKS_NO_ERROR);
  return list;
}

inline std::string name_of(const ANeuralNetworksDevice* device) {
  const char* name = nullptr;
  EXPECT_EQ(ANeuralNetworksDevice_getName(device, &name), ANEURALNETWORKS_NO_ERROR);
  return name;
}

// An operand type whose dimensions live as long as itself.
class TypeOf {
 public:
  TypeOf(int32_t type, std::vector<uint32_t> dims = {}, float scale = 0.0F, int32_t zero_point = 0) : dims_(std::move(dims)) {
    type_ = {type, static_cast<uint32_t>(dims_.size()), dims_.empty() ? nullptr : dims_.data(), scale, zero_point};
  }
  TypeOf(const TypeOf&) = delete;
  TypeOf& operator=(const TypeOf&) = delete;
  const ANeuralNetworksOperandType* get() const { return &type_; }

 private:
  std::vector<uint32_t> dims_;
  ANeuralNetworksOperandType type_;
};

// Builds a model call by call; every call must succeed.
class ModelBuilder {
 public:
  ModelBuilder() {
    ANeuralNetworksModel* model = nullptr;
    EXPECT_EQ(ANeuralNetworksModel_create(&model), ANEURALNETWORKS_NO_ERROR);
    model_.reset(model);
  }
  ANeuralNetworksModel* get() const { return model_.get(); }
  ANeuralNetworksModel* release() { return model_.release(); }

  uint32_t operand(int32_t type, std::vector<uint32_t> dims = {}, float scale = 0.0F, int32_t zero_point = 0) {
    EXPECT_EQ(ANeuralNetworksModel_addOperand(get(), TypeOf(type, std::move(dims), scale, zero_point).get()), 0);
    return count_++;
  }
  uint32_t constant(int32_t value) {
    const uint32_t index = operand(ANEURALNETWORKS_INT32);
    EXPECT_EQ(ANeuralNetworksModel_setOperandValue(get(), static_cast<int32_t>(index), &value, sizeof value), 0);
    return index;
  }
  int operation(int32_t code, const std::vector<uint32_t>& inputs, const std::vector<uint32_t>& outputs) {
    return ANeuralNetworksModel_addOperation(get(), code, static_cast<uint32_t>(inputs.size()), inputs.data(),
                                             static_cast<uint32_t>(outputs.size()), outputs.data());
  }
  int identify(const std::vector<uint32_t>& inputs, const std::vector<uint32_t>& outputs) {
    return ANeuralNetworksModel_identifyInputsAndOutputs(get(), static_cast<uint32_t>(inputs.size()), inputs.data(),
                                                         static_cast<uint32_t>(outputs.size()), outputs.data());
  }
  int finish() { return ANeuralNetworksModel_finish(get()); }

 private:
  ModelPointer model_;
  uint32_t count_ = 0;
};

// z = x + y over FLOAT32 tensors of these NNAPI dimensions; finished.
inline ModelBuilder make_add(const std::vector<uint32_t>& dims, int32_t activation = ANEURALNETWORKS_FUSED_NONE) {
  ModelBuilder builder;
  const uint32_t x = builder.operand(ANEURALNETWORKS_TENSOR_FLOAT32, dims);
  const uint32_t y = builder.operand(ANEURALNETWORKS_TENSOR_FLOAT32, dims);
  const uint32_t fused = builder.constant(activation);
  const uint32_t z = builder.operand(ANEURALNETWORKS_TENSOR_FLOAT32, dims);
  EXPECT_EQ(builder.operation(ANEURALNETWORKS_ADD, {x, y, fused}, {z}), 0);
  EXPECT_EQ(builder.identify({x, y}, {z}), 0);
  EXPECT_EQ(builder.finish(), 0);
  return builder;
}

inline std::vector<const ANeuralNetworksDevice*> all_devices() {
  uint32_t count = 0;
  EXPECT_EQ(ANeuralNetworks_getDeviceCount(&count), ANEURALNETWORKS_NO_ERROR);
  std::vector<const ANeuralNetworksDevice*> devices;
  for (uint32_t i = 0; i < count; ++i) {
    ANeuralNetworksDevice* device = nullptr;
    EXPECT_EQ(ANeuralNetworks_getDevice(i, &device), ANEURALNETWORKS_NO_ERROR);
    devices.push_back(device);
  }
  return devices;
}

// A model whose finish failed.
inline ModelBuilder invalid_model() {
  ModelBuilder builder;
  EXPECT_EQ(builder.finish(), ANEURALNETWORKS_BAD_DATA);
  return builder;
}

inline int32_t extension_type(const char* name, uint16_t code) {
  ModelBuilder builder;
  int32_t type = 0;
  EXPECT_EQ(ANeuralNetworksModel_getExtensionOperandType(builder.get(), name, code, &type), ANEURALNETWORKS_NO_ERROR);
  return type;
}

// A finished model of one loop over a FLOAT32 tensor {1} that never ends by itself.
class EndlessLoop {
 public:
  EndlessLoop() {
    const std::vector<uint32_t> one{1};
    const uint32_t seen = condition_.operand(ANEURALNETWORKS_TENSOR_FLOAT32, one);
    const uint32_t goes_on = condition_.operand(ANEURALNETWORKS_TENSOR_BOOL8, one);
    EXPECT_EQ(condition_.operation(ANEURALNETWORKS_EQUAL, {seen, seen}, {goes_on}), 0);
    finish(condition_, seen, goes_on);
    const uint32_t before = body_.operand(ANEURALNETWORKS_TENSOR_FLOAT32, one);
    const uint32_t after = body_.operand(ANEURALNETWORKS_TENSOR_FLOAT32, one);
    EXPECT_EQ(body_.operation(ANEURALNETWORKS_RELU, {before}, {after}), 0);
    finish(body_, before, after);
    const uint32_t condition = model_.operand(ANEURALNETWORKS_MODEL);
    const uint32_t body = model_.operand(ANEURALNETWORKS_MODEL);
    const uint32_t x = model_.operand(ANEURALNETWORKS_TENSOR_FLOAT32, one);
    const uint32_t y = model_.operand(ANEURALNETWORKS_TENSOR_FLOAT32, one);
    EXPECT_EQ(ANeuralNetworksModel_setOperandValueFromModel(model_.get(), static_cast<int32_t>(condition), condition_.get()), 0);
    EXPECT_EQ(ANeuralNetworksModel_setOperandValueFromModel(model_.get(), static_cast<int32_t>(body), body_.get()), 0);
    EXPECT_EQ(model_.operation(ANEURALNETWORKS_WHILE, {condition, body, x}, {y}), 0);
    finish(model_, x, y);
  }
  ANeuralNetworksModel* get() const { return model_.get(); }

 private:
  static void finish(ModelBuilder& model, uint32_t input, uint32_t output) {
    EXPECT_EQ(model.identify({input}, {output}), 0);
    EXPECT_EQ(model.finish(), 0);
  }

  ModelBuilder condition_;
  ModelBuilder body_;
  ModelBuilder model_;
};

// A compilation for one device alone, not finished.
inline CompilationPointer compile_for(ANeuralNetworksModel* model, const ANeuralNetworksDevice* device) {
  ANeuralNetworksCompilation* compilation = nullptr;
  EXPECT_EQ(ANeuralNetworksCompilation_createForDevices(model, &device, 1, &compilation), 0);
  return CompilationPointer(compilation);
}

inline CompilationPointer compile_for_cpu(ANeuralNetworksModel* model) { return compile_for(model, cpu_device()); }

// For the device that the run of the tests is about: the CPU device, or with NNVK_TEST_DEVICE=first the first of all.
inline CompilationPointer compile_for_one(ANeuralNetworksModel* model) {
  return compile_for(model, std::getenv("NNVK_TEST_DEVICE") == nullptr ? cpu_device() : all_devices().front());
}

inline CompilationPointer compile_for_all(ANeuralNetworksModel* model) {
  ANeuralNetworksCompilation* compilation = nullptr;
  EXPECT_EQ(ANeuralNetworksCompilation_create(model, &compilation), 0);
  return CompilationPointer(compilation);
}

// A compilation that failed: nothing runs OEM_OPERATION.
struct FailedCompilation {
  FailedCompilation() {
    const uint32_t x = model.operand(ANEURALNETWORKS_TENSOR_FLOAT32, {2});
    const uint32_t y = model.operand(ANEURALNETWORKS_TENSOR_FLOAT32, {2});
    EXPECT_EQ(model.operation(ANEURALNETWORKS_OEM_OPERATION, {x}, {y}), ANEURALNETWORKS_NO_ERROR);
    EXPECT_EQ(model.identify({x}, {y}), ANEURALNETWORKS_NO_ERROR);
    EXPECT_EQ(model.finish(), ANEURALNETWORKS_NO_ERROR);
    compilation = compile_for_one(model.get());
    EXPECT_EQ(ANeuralNetworksCompilation_finish(compilation.get()), ANEURALNETWORKS_BAD_DATA);
  }
  ModelBuilder model;
  CompilationPointer compilation;
};

inline CompilationPointer finished(CompilationPointer compilation) {
  EXPECT_EQ(ANeuralNetworksCompilation_finish(compilation.get()), 0);
  return compilation;
}

// For one device alone, finished.
inline CompilationPointer compiled_on(ANeuralNetworksModel* model, const ANeuralNetworksDevice* device) {
  ANeuralNetworksCompilation* compilation = nullptr;
  EXPECT_EQ(ANeuralNetworksCompilation_createForDevices(model, &device, 1, &compilation), ANEURALNETWORKS_NO_ERROR);
  return finished(CompilationPointer(compilation));
}

inline ExecutionPointer make_execution(ANeuralNetworksCompilation* compilation) {
  ANeuralNetworksExecution* execution = nullptr;
  EXPECT_EQ(ANeuralNetworksExecution_create(compilation, &execution), 0);
  return ExecutionPointer(execution);
}

// Memory for output 0 of `writer` and input 0 of `reader`.
inline MemoryPointer memory_between(const CompilationPointer& writer, const CompilationPointer& reader) {
  ANeuralNetworksMemoryDesc* made = nullptr;
  EXPECT_EQ(ANeuralNetworksMemoryDesc_create(&made), ANEURALNETWORKS_NO_ERROR);
  const MemoryDescPointer desc(made);
  EXPECT_EQ(ANeuralNetworksMemoryDesc_addOutputRole(made, writer.get(), 0, 1.0F), ANEURALNETWORKS_NO_ERROR);
  EXPECT_EQ(ANeuralNetworksMemoryDesc_addInputRole(made, reader.get(), 0, 1.0F), ANEURALNETWORKS_NO_ERROR);
  EXPECT_EQ(ANeuralNetworksMemoryDesc_finish(made), ANEURALNETWORKS_NO_ERROR);
  ANeuralNetworksMemory* memory = nullptr;
  EXPECT_EQ(ANeuralNetworksMemory_createFromDesc(made, &memory), ANEURALNETWORKS_NO_ERROR);
  return MemoryPointer(memory);
}

// A memory of 8 bytes whose offset no system can map.
inline MemoryPointer make_unmappable_memory() {
  const int fd = ::memfd_create("unmappable", MFD_CLOEXEC);
  ANeuralNetworksMemory* memory = nullptr;
  EXPECT_EQ(ANeuralNetworksMemory_createFromFd(8, PROT_READ, fd, 4, &memory), ANEURALNETWORKS_NO_ERROR);
  ::close(fd);
  return MemoryPointer(memory);
}

inline MemoryPointer make_memory(size_t size, int protection = PROT_READ | PROT_WRITE) {
  const int fd = ::memfd_create("api_test", MFD_CLOEXEC);
  EXPECT_EQ(::ftruncate(fd, static_cast<off_t>(size)), 0);
  ANeuralNetworksMemory* memory = nullptr;
  EXPECT_EQ(ANeuralNetworksMemory_createFromFd(size, protection, fd, 0, &memory), 0);
  ::close(fd);
  return MemoryPointer(memory);
}

}  // namespace nnvk::test
