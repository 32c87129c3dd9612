// Owners of C API objects and the small models that the tests of the C API use.
#pragma once

#include <android/NeuralNetworks.h>
#include <android/NeuralNetworksExtensions.h>
#include <gtest/gtest.h>
#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cstdlib>
#include <cstring>
#include <initializer_list>
#include <memory>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "tests/api/result_codes.h"

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

inline constexpr int32_t kFloat = ANEURALNETWORKS_TENSOR_FLOAT32;
inline constexpr int32_t kQuant = ANEURALNETWORKS_TENSOR_QUANT8_ASYMM;

// In the order of the API: nnapi-reference is the last.
inline std::vector<const ANeuralNetworksDevice*> devices() {
  uint32_t count = 0;
  EXPECT_EQ(ANeuralNetworks_getDeviceCount(&count), kOk);
  std::vector<const ANeuralNetworksDevice*> list;
  for (uint32_t i = 0; i < count; ++i) {
    ANeuralNetworksDevice* device = nullptr;
    EXPECT_EQ(ANeuralNetworks_getDevice(i, &device), kOk);
    list.push_back(device);
  }
  return list;
}

inline const ANeuralNetworksDevice* cpu_device() { return devices().back(); }

// All but nnapi-reference.
inline std::vector<const ANeuralNetworksDevice*> gpus() {
  std::vector<const ANeuralNetworksDevice*> list = devices();
  list.pop_back();
  return list;
}

// The device under test: nnapi-reference, or the first device if NNVK_TEST_DEVICE=first.
inline const ANeuralNetworksDevice* device_of_this_run() {
  return std::getenv("NNVK_TEST_DEVICE") == nullptr ? cpu_device() : devices().front();
}

inline std::string name_of(const ANeuralNetworksDevice* device) {
  const char* name = nullptr;
  EXPECT_EQ(ANeuralNetworksDevice_getName(device, &name), kOk);
  return name;
}

inline bool is_cpu(const ANeuralNetworksDevice* device) {
  int32_t type = ANEURALNETWORKS_DEVICE_UNKNOWN;
  EXPECT_EQ(ANeuralNetworksDevice_getType(device, &type), kOk);
  return type == ANEURALNETWORKS_DEVICE_CPU;
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
    EXPECT_EQ(ANeuralNetworksModel_create(&model), kOk);
    model_.reset(model);
  }
  ANeuralNetworksModel* get() const { return model_.get(); }
  ANeuralNetworksModel* release() { return model_.release(); }

  uint32_t operand(int32_t type, std::vector<uint32_t> dims = {}, float scale = 0.0F, int32_t zero_point = 0) {
    EXPECT_EQ(ANeuralNetworksModel_addOperand(get(), TypeOf(type, std::move(dims), scale, zero_point).get()), kOk);
    return count_++;
  }
  template <class T>
  uint32_t constant(int32_t type, const std::vector<uint32_t>& dims, const std::vector<T>& values) {
    const uint32_t index = operand(type, dims);
    const size_t size = values.size() * sizeof(T);
    EXPECT_EQ(ANeuralNetworksModel_setOperandValue(get(), static_cast<int32_t>(index), values.data(), size), kOk);
    return index;
  }
  uint32_t constant(int32_t value) { return constant<int32_t>(ANEURALNETWORKS_INT32, {}, {value}); }
  // A model that this one refers to, and that must outlive it.
  uint32_t reference(const ModelBuilder& value) {
    const uint32_t index = operand(ANEURALNETWORKS_MODEL);
    EXPECT_EQ(ANeuralNetworksModel_setOperandValueFromModel(get(), static_cast<int32_t>(index), value.get()), kOk);
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
  void finish(const std::vector<uint32_t>& inputs, const std::vector<uint32_t>& outputs) {
    EXPECT_EQ(identify(inputs, outputs), kOk);
    EXPECT_EQ(finish(), kOk);
  }

 private:
  ModelPointer model_;
  uint32_t count_ = 0;
};

// z = x + y over FLOAT32 tensors of these NNAPI dimensions; finished.
inline ModelBuilder make_add(const std::vector<uint32_t>& dims, int32_t activation = ANEURALNETWORKS_FUSED_NONE) {
  ModelBuilder builder;
  const uint32_t x = builder.operand(kFloat, dims);
  const uint32_t y = builder.operand(kFloat, dims);
  const uint32_t fused = builder.constant(activation);
  const uint32_t z = builder.operand(kFloat, dims);
  EXPECT_EQ(builder.operation(ANEURALNETWORKS_ADD, {x, y, fused}, {z}), kOk);
  builder.finish({x, y}, {z});
  return builder;
}

// y = code(x), both of this type; finished.
inline ModelBuilder make_unary(int32_t code, int32_t type, const std::vector<uint32_t>& dims, float scale = 0.0F,
                               int32_t zero_point = 0) {
  ModelBuilder builder;
  const uint32_t x = builder.operand(type, dims, scale, zero_point);
  const uint32_t y = builder.operand(type, dims, scale, zero_point);
  EXPECT_EQ(builder.operation(code, {x}, {y}), kOk);
  builder.finish({x}, {y});
  return builder;
}

// A model whose finish() failed.
inline ModelBuilder invalid_model() {
  ModelBuilder builder;
  EXPECT_EQ(builder.finish(), kBadData);
  return builder;
}

inline int32_t extension_type(const char* name, uint16_t code) {
  ModelBuilder builder;
  int32_t type = 0;
  EXPECT_EQ(ANeuralNetworksModel_getExtensionOperandType(builder.get(), name, code, &type), kOk);
  return type;
}

inline int32_t extension_operation(const char* name, uint16_t code) {
  const ModelBuilder builder;
  int32_t type = 0;
  EXPECT_EQ(ANeuralNetworksModel_getExtensionOperationType(builder.get(), name, code, &type), kOk);
  return type;
}

// A finished model of one loop over a FLOAT32 tensor {1} that never ends on its own.
class EndlessLoop {
 public:
  EndlessLoop() {
    const uint32_t seen = condition_.operand(kFloat, {1});
    const uint32_t goes_on = condition_.operand(ANEURALNETWORKS_TENSOR_BOOL8, {1});
    EXPECT_EQ(condition_.operation(ANEURALNETWORKS_EQUAL, {seen, seen}, {goes_on}), kOk);
    condition_.finish({seen}, {goes_on});
    const uint32_t condition = model_.reference(condition_);
    const uint32_t body = model_.reference(body_);
    const uint32_t x = model_.operand(kFloat, {1});
    const uint32_t y = model_.operand(kFloat, {1});
    EXPECT_EQ(model_.operation(ANEURALNETWORKS_WHILE, {condition, body, x}, {y}), kOk);
    model_.finish({x}, {y});
  }
  ANeuralNetworksModel* get() const { return model_.get(); }

 private:
  ModelBuilder condition_;
  ModelBuilder body_ = make_unary(ANEURALNETWORKS_RELU, kFloat, {1});
  ModelBuilder model_;
};

// A compilation for these devices, not finished.
inline CompilationPointer compile_for(ANeuralNetworksModel* model, const std::vector<const ANeuralNetworksDevice*>& list) {
  ANeuralNetworksCompilation* compilation = nullptr;
  const auto count = static_cast<uint32_t>(list.size());
  EXPECT_EQ(ANeuralNetworksCompilation_createForDevices(model, list.data(), count, &compilation), kOk);
  return CompilationPointer(compilation);
}
inline CompilationPointer compile_for(ANeuralNetworksModel* model, const ANeuralNetworksDevice* device) {
  return compile_for(model, std::vector{device});
}

inline CompilationPointer compile_for_cpu(ANeuralNetworksModel* model) { return compile_for(model, cpu_device()); }

inline CompilationPointer compile_for_one(ANeuralNetworksModel* model) { return compile_for(model, device_of_this_run()); }

inline CompilationPointer compile_for_all(ANeuralNetworksModel* model) {
  ANeuralNetworksCompilation* compilation = nullptr;
  EXPECT_EQ(ANeuralNetworksCompilation_create(model, &compilation), kOk);
  return CompilationPointer(compilation);
}

// Which of the model's `count` operations the devices support. Also checks that the library writes no further elements.
inline std::vector<bool> supported(const ANeuralNetworksModel* model, const std::vector<const ANeuralNetworksDevice*>& list,
                                   size_t count) {
  std::array<bool, 8> answers{};
  const auto end = answers.begin() + count;
  std::fill(end, answers.end(), true);
  EXPECT_EQ(ANeuralNetworksModel_getSupportedOperationsForDevices(model, list.data(), static_cast<uint32_t>(list.size()),
                                                                  answers.data()),
            kOk);
  EXPECT_TRUE(std::all_of(end, answers.end(), [](bool guard) { return guard; }));
  return std::vector<bool>(answers.begin(), end);
}

// A compilation that failed: nothing runs OEM_OPERATION.
struct FailedCompilation {
  FailedCompilation() { EXPECT_EQ(ANeuralNetworksCompilation_finish(compilation.get()), kBadData); }
  ModelBuilder model = make_unary(ANEURALNETWORKS_OEM_OPERATION, kFloat, {2});
  CompilationPointer compilation = compile_for_one(model.get());
};

inline CompilationPointer finished(CompilationPointer compilation) {
  EXPECT_EQ(ANeuralNetworksCompilation_finish(compilation.get()), kOk);
  return compilation;
}

// For one device alone, finished.
inline CompilationPointer compiled_on(ANeuralNetworksModel* model, const ANeuralNetworksDevice* device) {
  return finished(compile_for(model, device));
}

// A model with its compilation for one device alone, finished.
struct Compiled {
  explicit Compiled(ModelBuilder from, const ANeuralNetworksDevice* device = device_of_this_run())
      : model(std::move(from)), compilation(compiled_on(model.get(), device)) {}
  ModelBuilder model;
  CompilationPointer compilation;
};

inline ExecutionPointer make_execution(ANeuralNetworksCompilation* compilation) {
  ANeuralNetworksExecution* execution = nullptr;
  EXPECT_EQ(ANeuralNetworksExecution_create(compilation, &execution), kOk);
  return ExecutionPointer(execution);
}

// Bytes that the library reads as an input (const void) or writes as an output (void): a container, a value, part of a container,
// or a region of a memory. `type` completes a type that the model leaves open. An empty buffer: omitted.
template <class Void>
struct Buffer {
  using Type = const ANeuralNetworksOperandType*;

  Buffer() = default;
  template <class Values>
  Buffer(Values& values, Type of = nullptr) : type(of) {
    if constexpr (requires { std::span(values); }) {
      const std::span elements(values);
      bytes = elements.data();
      size = elements.size_bytes();
    } else {
      bytes = &values;
      size = sizeof values;
    }
  }
  template <class T>
  Buffer(std::span<T> part, Type of = nullptr) : bytes(part.data()), size(part.size_bytes()), type(of) {}
  Buffer(const MemoryPointer& in, size_t at, size_t length, Type of = nullptr)
      : memory(in.get()), offset(at), size(length), type(of) {}

  Void* bytes = nullptr;
  const ANeuralNetworksMemory* memory = nullptr;
  size_t offset = 0;
  size_t size = 0;
  Type type = nullptr;
};
using Input = Buffer<const void>;
using Output = Buffer<void>;

inline int set_input(const ExecutionPointer& e, int32_t index, const Input& from) {
  if (from.memory == nullptr) return ANeuralNetworksExecution_setInput(e.get(), index, from.type, from.bytes, from.size);
  return ANeuralNetworksExecution_setInputFromMemory(e.get(), index, from.type, from.memory, from.offset, from.size);
}
inline int set_output(const ExecutionPointer& e, int32_t index, const Output& to) {
  if (to.memory == nullptr) return ANeuralNetworksExecution_setOutput(e.get(), index, to.type, to.bytes, to.size);
  return ANeuralNetworksExecution_setOutputFromMemory(e.get(), index, to.type, to.memory, to.offset, to.size);
}

// A new execution with all its inputs and outputs.
inline ExecutionPointer make_execution(const CompilationPointer& compilation, std::initializer_list<Input> inputs,
                                       std::initializer_list<Output> outputs) {
  ExecutionPointer execution = make_execution(compilation.get());
  int32_t index = 0;
  for (const Input& input : inputs) EXPECT_EQ(set_input(execution, index++, input), kOk);
  index = 0;
  for (const Output& output : outputs) EXPECT_EQ(set_output(execution, index++, output), kOk);
  return execution;
}

inline int compute(const ExecutionPointer& execution) { return ANeuralNetworksExecution_compute(execution.get()); }

inline EventPointer start(const ExecutionPointer& execution) {
  ANeuralNetworksEvent* event = nullptr;
  EXPECT_EQ(ANeuralNetworksExecution_startCompute(execution.get(), &event), kOk);
  return EventPointer(event);
}

// Starts a fenced execution: after `dependency`, if there is one.
inline EventPointer start_fenced(const ExecutionPointer& execution, const ANeuralNetworksEvent* dependency = nullptr) {
  ANeuralNetworksEvent* event = nullptr;
  const uint32_t count = dependency != nullptr ? 1 : 0;
  EXPECT_EQ(ANeuralNetworksExecution_startComputeWithDependencies(execution.get(), &dependency, count, 0, &event), kOk);
  return EventPointer(event);
}

// The event of a foreign sync fence, which the caller may close.
inline EventPointer event_of_fence(int fd) {
  ANeuralNetworksEvent* event = nullptr;
  EXPECT_EQ(ANeuralNetworksEvent_createFromSyncFenceFd(fd, &event), kOk);
  return EventPointer(event);
}

inline int wait(const EventPointer& event) { return ANeuralNetworksEvent_wait(event.get()); }

inline BurstPointer make_burst(const CompilationPointer& compilation) {
  ANeuralNetworksBurst* burst = nullptr;
  EXPECT_EQ(ANeuralNetworksBurst_create(compilation.get(), &burst), kOk);
  return BurstPointer(burst);
}

inline MemoryDescPointer make_desc() {
  ANeuralNetworksMemoryDesc* desc = nullptr;
  EXPECT_EQ(ANeuralNetworksMemoryDesc_create(&desc), kOk);
  return MemoryDescPointer(desc);
}

// Input 0 and output 0 as roles.
inline void add_input_role(const MemoryDescPointer& desc, const CompilationPointer& reader) {
  EXPECT_EQ(ANeuralNetworksMemoryDesc_addInputRole(desc.get(), reader.get(), 0, 1.0F), kOk);
}
inline void add_output_role(const MemoryDescPointer& desc, const CompilationPointer& writer) {
  EXPECT_EQ(ANeuralNetworksMemoryDesc_addOutputRole(desc.get(), writer.get(), 0, 1.0F), kOk);
}

// Finishes the descriptor first.
inline MemoryPointer memory_from(const MemoryDescPointer& desc) {
  EXPECT_EQ(ANeuralNetworksMemoryDesc_finish(desc.get()), kOk);
  ANeuralNetworksMemory* memory = nullptr;
  EXPECT_EQ(ANeuralNetworksMemory_createFromDesc(desc.get(), &memory), kOk);
  return MemoryPointer(memory);
}

// Memory for output 0 of `writer` and input 0 of `reader`.
inline MemoryPointer memory_between(const CompilationPointer& writer, const CompilationPointer& reader) {
  const MemoryDescPointer desc = make_desc();
  add_output_role(desc, writer);
  add_input_role(desc, reader);
  return memory_from(desc);
}

// A memory of 8 bytes whose offset no system can map.
inline MemoryPointer make_unmappable_memory() {
  const int fd = ::memfd_create("unmappable", MFD_CLOEXEC);
  ANeuralNetworksMemory* memory = nullptr;
  EXPECT_EQ(ANeuralNetworksMemory_createFromFd(8, PROT_READ, fd, 4, &memory), kOk);
  ::close(fd);
  return MemoryPointer(memory);
}

inline MemoryPointer memory_of(int fd, size_t size, int protection = PROT_READ | PROT_WRITE) {
  ANeuralNetworksMemory* memory = nullptr;
  EXPECT_EQ(ANeuralNetworksMemory_createFromFd(size, protection, fd, 0, &memory), kOk);
  return MemoryPointer(memory);
}

inline MemoryPointer make_memory(size_t size, int protection = PROT_READ | PROT_WRITE) {
  const int fd = ::memfd_create("api_test", MFD_CLOEXEC);
  EXPECT_EQ(::ftruncate(fd, static_cast<off_t>(size)), 0);
  MemoryPointer memory = memory_of(fd, size, protection);
  ::close(fd);
  return memory;
}

}  // namespace nnvk::test
