// The library as loaded by a program that does not link it, and small computations with it.
#pragma once

#include <android/NeuralNetworks.h>
#include <dlfcn.h>
#include <fcntl.h>
#include <gtest/gtest.h>
#include <poll.h>
#include <unistd.h>

#include <array>
#include <functional>

namespace nnvk::test {

class Library {
 public:
  Library() : handle_(::dlopen(NNVK_LIBRARY, RTLD_NOW | RTLD_LOCAL)) { EXPECT_NE(handle_, nullptr) << ::dlerror(); }
  ~Library() { close(); }
  Library(const Library&) = delete;
  Library& operator=(const Library&) = delete;

  template <class Function>
  Function* find(const char* name) const {
    return reinterpret_cast<Function*>(::dlsym(handle_, name));
  }
  void close() {
    if (handle_ != nullptr) ::dlclose(handle_);
    handle_ = nullptr;
  }

 private:
  void* handle_;
};

// The function of this name in the library; the header gives only its type.
#define NN(library, name) (library).find<decltype(name)>(#name)

// y = RELU(x) of two floats on the device with this index from the end (0: the CPU), ready to compute. No destructor frees
// anything: the library may already be unloaded.
struct Relu {
  std::array<float, 2> x{-1.0F, 2.0F};
  std::array<float, 2> y{};
  ANeuralNetworksDevice* device = nullptr;
  ANeuralNetworksModel* model = nullptr;
  ANeuralNetworksCompilation* compilation = nullptr;
  ANeuralNetworksExecution* execution = nullptr;

  // The code of the first call that fails, or 0. `input`: where the execution reads x, or null for x.
  int make(const Library& nn, uint32_t from_the_end, const float* input = nullptr) {
    uint32_t count = 0;
    const uint32_t dims[] = {2};
    const ANeuralNetworksOperandType type = {ANEURALNETWORKS_TENSOR_FLOAT32, 1, dims, 0.0F, 0};
    const uint32_t in = 0;
    const uint32_t out = 1;
    int code = NN(nn, ANeuralNetworks_getDeviceCount)(&count);
    if (code == 0) code = NN(nn, ANeuralNetworks_getDevice)(count - 1 - from_the_end, &device);
    if (code == 0) code = NN(nn, ANeuralNetworksModel_create)(&model);
    if (code == 0) code = NN(nn, ANeuralNetworksModel_addOperand)(model, &type);
    if (code == 0) code = NN(nn, ANeuralNetworksModel_addOperand)(model, &type);
    if (code == 0) code = NN(nn, ANeuralNetworksModel_addOperation)(model, ANEURALNETWORKS_RELU, 1, &in, 1, &out);
    if (code == 0) code = NN(nn, ANeuralNetworksModel_identifyInputsAndOutputs)(model, 1, &in, 1, &out);
    if (code == 0) code = NN(nn, ANeuralNetworksModel_finish)(model);
    if (code == 0) code = NN(nn, ANeuralNetworksCompilation_createForDevices)(model, &device, 1, &compilation);
    if (code == 0) code = NN(nn, ANeuralNetworksCompilation_finish)(compilation);
    if (code == 0) code = make_execution(nn, input);
    return code;
  }
  int make_execution(const Library& nn, const float* input = nullptr) {
    int code = NN(nn, ANeuralNetworksExecution_create)(compilation, &execution);
    if (code == 0)
      code = NN(nn, ANeuralNetworksExecution_setInput)(execution, 0, nullptr, input != nullptr ? input : x.data(), sizeof x);
    if (code == 0) code = NN(nn, ANeuralNetworksExecution_setOutput)(execution, 0, nullptr, y.data(), sizeof y);
    return code;
  }
  void free(const Library& nn) const {
    NN(nn, ANeuralNetworksExecution_free)(execution);
    NN(nn, ANeuralNetworksCompilation_free)(compilation);
    NN(nn, ANeuralNetworksModel_free)(model);
  }
  bool is_right() const { return y[0] == 0.0F && y[1] == 2.0F; }
};

inline bool compute(const Library& nn, ANeuralNetworksExecution* execution) {
  return NN(nn, ANeuralNetworksExecution_compute)(execution) == 0;
}

// One inference; false when anything fails.
inline bool infer(const Library& nn, uint32_t from_the_end,
                  const std::function<bool(const Library&, ANeuralNetworksExecution*)>& run = compute) {
  Relu relu;
  const bool ok = relu.make(nn, from_the_end) == 0 && run(nn, relu.execution);
  relu.free(nn);
  return ok && relu.is_right();
}

inline bool is_loaded() {
  void* handle = ::dlopen(NNVK_LIBRARY, RTLD_NOW | RTLD_NOLOAD);
  if (handle != nullptr) ::dlclose(handle);
  return handle != nullptr;
}

inline uint32_t device_count() {
  const Library library;
  uint32_t count = 0;
  EXPECT_EQ(NN(library, ANeuralNetworks_getDeviceCount)(&count), 0);
  return count;
}

// Starts an execution that waits until a pipe is written to. `fence` is the execution's sync fence, or -1 if it has none.
struct Gated {
  std::array<int, 2> gate{-1, -1};
  ANeuralNetworksEvent* event = nullptr;
  int fence = -1;

  bool start(const Library& nn, ANeuralNetworksExecution* execution) {
    ANeuralNetworksEvent* dependency = nullptr;
    bool ok = ::pipe2(gate.data(), O_CLOEXEC) == 0;
    ok = ok && NN(nn, ANeuralNetworksEvent_createFromSyncFenceFd)(gate[0], &dependency) == 0;
    ok = ok && NN(nn, ANeuralNetworksExecution_startComputeWithDependencies)(execution, &dependency, 1, 0, &event) == 0;
    NN(nn, ANeuralNetworksEvent_free)(dependency);
    if (ok) NN(nn, ANeuralNetworksEvent_getSyncFenceFd)(event, &fence);
    return ok;
  }
  bool finish(const Library& nn) {
    const bool ok = ::write(gate[1], "x", 1) == 1 && NN(nn, ANeuralNetworksEvent_wait)(event) == 0;
    NN(nn, ANeuralNetworksEvent_free)(event);
    for (const int end : gate) ::close(end);
    return ok;
  }
};

// Waits for a sync fence, and returns the events that poll() reports.
inline int answer(int fd) {
  pollfd entry{fd, POLLIN, 0};
  return ::poll(&entry, 1, 60'000) > 0 ? entry.revents : 0;
}

}  // namespace nnvk::test
