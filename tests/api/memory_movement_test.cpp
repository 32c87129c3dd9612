// What moves when memories are bound: nothing where a device uses the client's memory in place, and memory made for roles on a
// device stays there. The numbers are the counters of the compilation.
#include <android/hardware_buffer.h>

#include <functional>
#include <numeric>
#include <string>

#include "tests/api/descriptions.h"
#include "tests/api/misuse_table.h"

namespace nnvk::test {
namespace {

constexpr uint32_t kCount = 1024;
constexpr size_t kBytes = kCount * sizeof(float);
constexpr int32_t kFloat = ANEURALNETWORKS_TENSOR_FLOAT32;

// Shared memory, seen by the client and given to the library.
struct Shared {
  explicit Shared(size_t size) : bytes(size) {
    const int fd = ::memfd_create("movement", MFD_CLOEXEC);
    EXPECT_EQ(::ftruncate(fd, static_cast<off_t>(size)), 0);
    view = static_cast<float*>(::mmap(nullptr, size, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0));
    ANeuralNetworksMemory* made = nullptr;
    EXPECT_EQ(ANeuralNetworksMemory_createFromFd(size, PROT_READ | PROT_WRITE, fd, 0, &made), kOk);
    ::close(fd);
    memory.reset(made);
  }
  ~Shared() { ::munmap(view, bytes); }
  Shared(const Shared&) = delete;
  Shared& operator=(const Shared&) = delete;
  void fill(float first) const { std::iota(view, view + bytes / sizeof(float), first); }

  size_t bytes;
  float* view = nullptr;
  MemoryPointer memory;
};

// z = x + x, on `device`; NNAPI dimension 0 is unknown.
struct Doubling {
  Doubling(const ANeuralNetworksDevice* device, uint32_t count) {
    const uint32_t x = model.operand(kFloat, {count});
    const uint32_t none = model.constant(ANEURALNETWORKS_FUSED_NONE);
    const uint32_t z = model.operand(kFloat, {count});
    EXPECT_EQ(model.operation(ANEURALNETWORKS_ADD, {x, x, none}, {z}), kOk);
    EXPECT_EQ(model.identify({x}, {z}), kOk);
    EXPECT_EQ(model.finish(), kOk);
    compilation = compiled_on(model.get(), device);
  }
  uint64_t counter(const std::string& name) const { return describe(compilation).at("partitions").at(0).at("counters").at(name); }
  ModelBuilder model;
  CompilationPointer compilation;
};

// Length 0: all of it, for memory made from a descriptor.
struct Place {
  const MemoryPointer& memory;
  size_t offset = 0;
  size_t length = 0;
};

int compute(const Doubling& doubling, const Place& in, const Place& out, const ANeuralNetworksOperandType* type = nullptr) {
  const ExecutionPointer e = make_execution(doubling.compilation.get());
  EXPECT_EQ(ANeuralNetworksExecution_setInputFromMemory(e.get(), 0, type, in.memory.get(), in.offset, in.length), kOk);
  EXPECT_EQ(ANeuralNetworksExecution_setOutputFromMemory(e.get(), 0, type, out.memory.get(), out.offset, out.length), kOk);
  return ANeuralNetworksExecution_compute(e.get());
}

// All devices but the CPU device.
std::vector<ANeuralNetworksDevice*> gpus() {
  std::vector<ANeuralNetworksDevice*> list = devices();
  list.pop_back();
  return list;
}

// Whether the device imports client memory: tried with memory that nothing speaks against.
bool imports(const ANeuralNetworksDevice* device) {
  const Doubling probe(device, kCount);
  const Shared memory(2 * kBytes);
  EXPECT_EQ(compute(probe, {memory.memory, 0, kBytes}, {memory.memory, kBytes, kBytes}), kOk);
  return probe.counter("bytes_copied_in") == 0 && probe.counter("bytes_copied_internal") == 0;
}

TEST(MemoryMovement, SharedMemoryIsUsedInPlace) {
  for (const ANeuralNetworksDevice* device : gpus()) {
    if (!imports(device)) continue;
    const Doubling doubling(device, kCount);
    const Shared memory(2 * kBytes);
    memory.fill(1.0F);
    ASSERT_EQ(compute(doubling, {memory.memory, 0, kBytes}, {memory.memory, kBytes, kBytes}), kOk);
    EXPECT_EQ(memory.view[kCount], 2.0F);
    EXPECT_EQ(memory.view[2 * kCount - 1], 2.0F * kCount);
    EXPECT_EQ(doubling.counter("bytes_copied_in"), 0U);
    EXPECT_EQ(doubling.counter("bytes_copied_out"), 0U);
  }
}

TEST(MemoryMovement, HardwareBuffersAreUsedInPlace) {
  for (const ANeuralNetworksDevice* device : gpus()) {
    if (!imports(device)) continue;
    const Doubling doubling(device, kCount);
    AHardwareBuffer_Desc desc{};
    desc.width = 2 * kBytes;
    desc.height = 1;
    desc.layers = 1;
    desc.format = AHARDWAREBUFFER_FORMAT_BLOB;
    desc.usage = AHARDWAREBUFFER_USAGE_CPU_READ_OFTEN | AHARDWAREBUFFER_USAGE_CPU_WRITE_OFTEN;
    AHardwareBuffer* buffer = nullptr;
    ASSERT_EQ(AHardwareBuffer_allocate(&desc, &buffer), 0);
    void* address = nullptr;
    ASSERT_EQ(AHardwareBuffer_lock(buffer, desc.usage, -1, nullptr, &address), 0);
    auto* const view = static_cast<float*>(address);
    std::iota(view, view + kCount, 5.0F);
    ANeuralNetworksMemory* made = nullptr;
    ASSERT_EQ(ANeuralNetworksMemory_createFromAHardwareBuffer(buffer, &made), kOk);
    MemoryPointer memory(made);
    ASSERT_EQ(compute(doubling, {memory, 0, kBytes}, {memory, kBytes, kBytes}), kOk);
    EXPECT_EQ(view[kCount + 1], 12.0F);
    EXPECT_EQ(doubling.counter("bytes_copied_in"), 0U);
    EXPECT_EQ(doubling.counter("bytes_copied_out"), 0U);
    memory.reset();
    AHardwareBuffer_unlock(buffer, nullptr);
    AHardwareBuffer_release(buffer);
  }
}

TEST(MemoryMovement, PlacesThatFollowThePreferencesAreUsedInPlace) {
  constexpr uint32_t kOdd = 5;  // 20 bytes
  for (const ANeuralNetworksDevice* device : gpus()) {
    if (!imports(device)) continue;
    const Doubling doubling(device, kOdd);
    uint32_t alignment = 0;
    uint32_t padding = 0;
    ASSERT_EQ(ANeuralNetworksCompilation_getPreferredMemoryAlignmentForOutput(doubling.compilation.get(), 0, &alignment), kOk);
    ASSERT_EQ(ANeuralNetworksCompilation_getPreferredMemoryPaddingForOutput(doubling.compilation.get(), 0, &padding), kOk);
    EXPECT_GE(alignment, 64U);
    EXPECT_GE(padding, 64U);
    const size_t offset = (kOdd * sizeof(float) + alignment - 1) / alignment * alignment;
    const size_t length = (kOdd * sizeof(float) + padding - 1) / padding * padding;
    const Shared memory(4096);
    memory.fill(1.0F);
    const float behind = memory.view[(offset + length) / sizeof(float)];
    const ExecutionPointer e = make_execution(doubling.compilation.get());
    ASSERT_EQ(ANeuralNetworksExecution_enableInputAndOutputPadding(e.get(), true), kOk);
    ASSERT_EQ(ANeuralNetworksExecution_setInputFromMemory(e.get(), 0, nullptr, memory.memory.get(), 0, length), kOk);
    ASSERT_EQ(ANeuralNetworksExecution_setOutputFromMemory(e.get(), 0, nullptr, memory.memory.get(), offset, length), kOk);
    ASSERT_EQ(ANeuralNetworksExecution_compute(e.get()), kOk);
    for (uint32_t i = 0; i < kOdd; ++i) EXPECT_EQ(memory.view[offset / sizeof(float) + i], 2.0F * static_cast<float>(i + 1));
    EXPECT_EQ(memory.view[(offset + length) / sizeof(float)], behind);
    EXPECT_EQ(doubling.counter("bytes_copied_in"), 0U);
    EXPECT_EQ(doubling.counter("bytes_copied_out"), 0U);
  }
}

TEST(MemoryMovement, ABurstOverTheSameMemoriesMakesNothingNew) {
  for (const ANeuralNetworksDevice* device : gpus()) {
    const Doubling doubling(device, kCount);
    const Shared memory(2 * kBytes);
    memory.fill(0.0F);
    ANeuralNetworksBurst* made = nullptr;
    ASSERT_EQ(ANeuralNetworksBurst_create(doubling.compilation.get(), &made), kOk);
    const BurstPointer burst(made);
    const auto frame = [&] {
      const ExecutionPointer e = make_execution(doubling.compilation.get());
      EXPECT_EQ(ANeuralNetworksExecution_setInputFromMemory(e.get(), 0, nullptr, memory.memory.get(), 0, kBytes), kOk);
      EXPECT_EQ(ANeuralNetworksExecution_setOutputFromMemory(e.get(), 0, nullptr, memory.memory.get(), kBytes, kBytes), kOk);
      EXPECT_EQ(ANeuralNetworksExecution_burstCompute(e.get(), made), kOk);
    };
    frame();
    const std::array names = {"descriptor_sets_written", "device_allocations", "command_buffers_recorded", "pipelines_created"};
    std::vector<uint64_t> before;
    for (const char* name : names) before.push_back(doubling.counter(name));
    for (int i = 0; i < 10; ++i) frame();
    for (size_t i = 0; i < names.size(); ++i) EXPECT_EQ(doubling.counter(names[i]), before[i]) << names[i];
    EXPECT_EQ(memory.view[kCount + 7], 14.0F);
  }
}

TEST(MemoryMovement, MemoryForRolesOfADeviceStaysThere) {
  for (const ANeuralNetworksDevice* device : gpus()) {
    const Doubling first(device, kCount);
    const Doubling second(device, kCount);
    const MemoryPointer between = memory_between(first.compilation, second.compilation);
    const Shared ends(2 * kBytes);
    ends.fill(1.0F);
    ASSERT_EQ(compute(first, {ends.memory, 0, kBytes}, {between}), kOk);
    ASSERT_EQ(compute(second, {between}, {ends.memory, kBytes, kBytes}), kOk);
    EXPECT_EQ(ends.view[kCount], 4.0F);
    EXPECT_EQ(first.counter("bytes_copied_out"), 0U);
    EXPECT_EQ(second.counter("bytes_copied_in"), 0U);
  }
}

TEST(MemoryMovement, MemoryOfUnknownShapeFollowsTheLastWrite) {
  for (const ANeuralNetworksDevice* device : gpus()) {
    const Doubling first(device, 0);
    const Doubling second(device, 0);
    const MemoryPointer between = memory_between(first.compilation, second.compilation);
    ASSERT_NE(between, nullptr);
    const Shared ends(2 * kBytes);
    ends.fill(1.0F);
    for (const uint32_t count : {7U, kCount, 3U}) {
      const TypeOf type(kFloat, {count});
      const TypeOf other(kFloat, {count + 1});
      const size_t bytes = count * sizeof(float);
      const ExecutionPointer write = make_execution(first.compilation.get());
      ASSERT_EQ(ANeuralNetworksExecution_setInputFromMemory(write.get(), 0, type.get(), ends.memory.get(), 0, bytes), kOk);
      ASSERT_EQ(ANeuralNetworksExecution_setOutputFromMemory(write.get(), 0, nullptr, between.get(), 0, 0), kOk);
      ASSERT_EQ(ANeuralNetworksExecution_compute(write.get()), kOk);
      uint32_t dims = 0;
      ASSERT_EQ(ANeuralNetworksExecution_getOutputOperandDimensions(write.get(), 0, &dims), kOk);
      EXPECT_EQ(dims, count);
      ASSERT_EQ(compute(second, {between}, {ends.memory, kBytes, bytes}, type.get()), kOk);
      EXPECT_EQ(ends.view[kCount + count - 1], 4.0F * static_cast<float>(count));
      const ExecutionPointer wrong = make_execution(second.compilation.get());
      ASSERT_EQ(ANeuralNetworksExecution_setInputFromMemory(wrong.get(), 0, other.get(), between.get(), 0, 0), kOk);
      ASSERT_EQ(ANeuralNetworksExecution_setOutput(wrong.get(), 0, other.get(), ends.view, bytes + 4), kOk);
      EXPECT_EQ(ANeuralNetworksExecution_compute(wrong.get()), kFailed);
      const Shared plain(bytes);
      EXPECT_EQ(ANeuralNetworksMemory_copy(between.get(), plain.memory.get()), kOk);
      EXPECT_EQ(plain.view[count - 1], 2.0F * static_cast<float>(count));
      EXPECT_EQ(ANeuralNetworksMemory_copy(between.get(), ends.memory.get()), kBadData);
    }
    // Its declared shape is open, whatever it holds now.
    const Shared three(3 * sizeof(float));
    EXPECT_EQ(ANeuralNetworksMemory_copy(three.memory.get(), between.get()), kBadData);
    EXPECT_EQ(ANeuralNetworksMemory_copy(between.get(), three.memory.get()), kBadData);  // undefined since
  }
}

TEST(MemoryMovement, ACopyIntoUnknownShapeTakesTheShapeOfItsSource) {
  for (const ANeuralNetworksDevice* device : gpus()) {
    const Doubling known(device, 6);
    const Doubling open(device, 0);
    const MemoryPointer source = memory_between(known.compilation, known.compilation);
    const MemoryPointer target = memory_between(open.compilation, open.compilation);
    const Shared plain(24);
    plain.fill(1.0F);
    ASSERT_EQ(ANeuralNetworksMemory_copy(plain.memory.get(), source.get()), kOk);
    ASSERT_EQ(ANeuralNetworksMemory_copy(source.get(), target.get()), kOk);
    const TypeOf six(kFloat, {6});
    ASSERT_EQ(compute(open, {target}, {plain.memory, 0, 24}, six.get()), kOk);
    EXPECT_EQ(plain.view[5], 12.0F);
  }
}

TEST(MemoryMovement, EveryKindOfMemoryIsCopiedToEveryOther) {
  for (const ANeuralNetworksDevice* device : devices()) {
    SCOPED_TRACE(name_of(device));
    const Doubling on_device(device, kCount);
    const Doubling on_cpu(cpu_device(), kCount);
    AHardwareBuffer_Desc desc{};
    desc.width = kBytes;
    desc.height = 1;
    desc.layers = 1;
    desc.format = AHARDWAREBUFFER_FORMAT_BLOB;
    desc.usage = AHARDWAREBUFFER_USAGE_CPU_READ_OFTEN | AHARDWAREBUFFER_USAGE_CPU_WRITE_OFTEN;
    AHardwareBuffer* buffer = nullptr;
    ASSERT_EQ(AHardwareBuffer_allocate(&desc, &buffer), 0);
    {
      ANeuralNetworksMemory* blob = nullptr;
      ASSERT_EQ(ANeuralNetworksMemory_createFromAHardwareBuffer(buffer, &blob), kOk);
      const MemoryPointer in_buffer(blob);
      const MemoryPointer here = memory_between(on_device.compilation, on_device.compilation);
      const MemoryPointer there = memory_between(on_cpu.compilation, on_cpu.compilation);
      const Shared plain(kBytes);
      const Shared start(kBytes);
      const Shared end(kBytes);
      float first = 0.0F;
      const std::array kinds = {plain.memory.get(), in_buffer.get(), here.get(), there.get()};
      for (const ANeuralNetworksMemory* from : kinds) {
        for (const ANeuralNetworksMemory* to : kinds) {
          start.fill(first += 1.0F);
          ASSERT_EQ(ANeuralNetworksMemory_copy(start.memory.get(), from), kOk);
          ASSERT_EQ(ANeuralNetworksMemory_copy(from, to), kOk);
          ASSERT_EQ(ANeuralNetworksMemory_copy(to, end.memory.get()), kOk);
          EXPECT_EQ(end.view[0], first);
          EXPECT_EQ(end.view[kCount - 1], first + kCount - 1);
        }
      }
    }
    AHardwareBuffer_release(buffer);
  }
}

// An IF runs in parts between which the host decides: memory of the device takes the way over the host.
TEST(MemoryMovement, ModelsWithControlFlowTakeMemoryOfTheDevice) {
  for (const ANeuralNetworksDevice* device : devices()) {
    SCOPED_TRACE(name_of(device));
    ModelBuilder branches[2];
    for (int i = 0; i < 2; ++i) {
      const uint32_t x = branches[i].operand(kFloat, {4});
      const uint32_t none = branches[i].constant(ANEURALNETWORKS_FUSED_NONE);
      const uint32_t z = branches[i].operand(kFloat, {4});
      const int32_t operation = i == 0 ? ANEURALNETWORKS_ADD : ANEURALNETWORKS_SUB;
      ASSERT_EQ(branches[i].operation(operation, {x, x, none}, {z}), kOk);
      ASSERT_EQ(branches[i].identify({x}, {z}), kOk);
      ASSERT_EQ(branches[i].finish(), kOk);
    }
    ModelBuilder model;
    const uint32_t x = model.operand(kFloat, {4});
    const uint32_t condition = model.operand(ANEURALNETWORKS_TENSOR_BOOL8, {1});
    const uint32_t then_model = model.operand(ANEURALNETWORKS_MODEL);
    const uint32_t else_model = model.operand(ANEURALNETWORKS_MODEL);
    const uint32_t z = model.operand(kFloat, {4});
    const auto refer_to = [&](uint32_t operand, const ModelBuilder& branch) {
      EXPECT_EQ(ANeuralNetworksModel_setOperandValueFromModel(model.get(), static_cast<int32_t>(operand), branch.get()), kOk);
    };
    refer_to(then_model, branches[0]);
    refer_to(else_model, branches[1]);
    ASSERT_EQ(model.operation(ANEURALNETWORKS_IF, {condition, then_model, else_model, x}, {z}), kOk);
    ASSERT_EQ(model.identify({x, condition}, {z}), kOk);
    ASSERT_EQ(model.finish(), kOk);
    const CompilationPointer compilation = compiled_on(model.get(), device);
    const auto memory_for = [&](bool is_input) {
      ANeuralNetworksMemoryDesc* made = nullptr;
      EXPECT_EQ(ANeuralNetworksMemoryDesc_create(&made), kOk);
      const MemoryDescPointer desc(made);
      const auto add_role = is_input ? ANeuralNetworksMemoryDesc_addInputRole : ANeuralNetworksMemoryDesc_addOutputRole;
      EXPECT_EQ(add_role(made, compilation.get(), 0, 1.0F), kOk);
      EXPECT_EQ(ANeuralNetworksMemoryDesc_finish(made), kOk);
      ANeuralNetworksMemory* memory = nullptr;
      EXPECT_EQ(ANeuralNetworksMemory_createFromDesc(made, &memory), kOk);
      return MemoryPointer(memory);
    };
    const MemoryPointer in = memory_for(true);
    const MemoryPointer out = memory_for(false);
    const Shared plain(16);
    for (const uint8_t holds : {1, 0}) {
      plain.fill(1.0F);
      ASSERT_EQ(ANeuralNetworksMemory_copy(plain.memory.get(), in.get()), kOk);
      const ExecutionPointer e = make_execution(compilation.get());
      ASSERT_EQ(ANeuralNetworksExecution_setInputFromMemory(e.get(), 0, nullptr, in.get(), 0, 0), kOk);
      ASSERT_EQ(ANeuralNetworksExecution_setInput(e.get(), 1, nullptr, &holds, 1), kOk);
      ASSERT_EQ(ANeuralNetworksExecution_setOutputFromMemory(e.get(), 0, nullptr, out.get(), 0, 0), kOk);
      ASSERT_EQ(ANeuralNetworksExecution_compute(e.get()), kOk);
      ASSERT_EQ(ANeuralNetworksMemory_copy(out.get(), plain.memory.get()), kOk);
      EXPECT_EQ(plain.view[3], holds != 0 ? 8.0F : 0.0F);
    }
  }
}

}  // namespace
}  // namespace nnvk::test
