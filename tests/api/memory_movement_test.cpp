// The number of bytes that are copied when memories are bound: none if a device uses the client's memory in place. Memory made
// for roles on a device stays there. The numbers are the counters of the compilation.
#include <functional>
#include <numeric>
#include <string>

#include "tests/api/descriptions.h"
#include "tests/api/hardware_buffers.h"

namespace nnvk::test {
namespace {

constexpr uint32_t kCount = 1024;
constexpr size_t kBytes = kCount * sizeof(float);

// Shared memory that the client maps and the library imports.
struct Shared {
  explicit Shared(size_t size) : bytes(size) {
    const int fd = ::memfd_create("movement", MFD_CLOEXEC);
    EXPECT_EQ(::ftruncate(fd, static_cast<off_t>(size)), 0);
    view = static_cast<float*>(::mmap(nullptr, size, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0));
    memory = memory_of(fd, size);
    ::close(fd);
  }
  ~Shared() { ::munmap(view, bytes); }
  Shared(const Shared&) = delete;
  Shared& operator=(const Shared&) = delete;
  void fill(float first) const { std::iota(view, view + bytes / sizeof(float), first); }

  size_t bytes;
  float* view = nullptr;
  MemoryPointer memory;
};

// z = code(x, x) with this NNAPI dimension (0: unknown).
ModelBuilder with_itself(int32_t code, uint32_t count) {
  ModelBuilder model;
  const uint32_t x = model.operand(kFloat, {count});
  const uint32_t none = model.constant(ANEURALNETWORKS_FUSED_NONE);
  const uint32_t z = model.operand(kFloat, {count});
  EXPECT_EQ(model.operation(code, {x, x, none}, {z}), kOk);
  model.finish({x}, {z});
  return model;
}

// z = x + x, on `device`.
struct Doubling : Compiled {
  Doubling(const ANeuralNetworksDevice* device, uint32_t count) : Compiled(with_itself(ANEURALNETWORKS_ADD, count), device) {}
  uint64_t counter(const std::string& name) const { return describe(compilation).at("partitions").at(0).at("counters").at(name); }
  int compute(const Input& in, const Output& out) const { return test::compute(make_execution(compilation, {in}, {out})); }
};

// Whether the device imports client memory, tried with memory that has no obstacle to an import.
bool imports(const ANeuralNetworksDevice* device) {
  const Doubling probe(device, kCount);
  const Shared memory(2 * kBytes);
  EXPECT_EQ(probe.compute({memory.memory, 0, kBytes}, {memory.memory, kBytes, kBytes}), kOk);
  return probe.counter("bytes_copied_in") == 0 && probe.counter("bytes_copied_internal") == 0;
}

TEST(MemoryMovement, SharedMemoryIsUsedInPlace) {
  for (const ANeuralNetworksDevice* device : gpus()) {
    if (!imports(device)) continue;
    const Doubling doubling(device, kCount);
    const Shared memory(2 * kBytes);
    memory.fill(1.0F);
    ASSERT_EQ(doubling.compute({memory.memory, 0, kBytes}, {memory.memory, kBytes, kBytes}), kOk);
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
    const BufferPointer buffer = make_blob(2 * kBytes);
    auto* const view = reinterpret_cast<float*>(content_of(buffer));
    std::iota(view, view + kCount, 5.0F);
    const MemoryPointer memory = memory_in(buffer);
    ASSERT_EQ(doubling.compute({memory, 0, kBytes}, {memory, kBytes, kBytes}), kOk);
    EXPECT_EQ(view[kCount + 1], 12.0F);
    EXPECT_EQ(doubling.counter("bytes_copied_in"), 0U);
    EXPECT_EQ(doubling.counter("bytes_copied_out"), 0U);
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
    ASSERT_EQ(set_input(e, 0, {memory.memory, 0, length}), kOk);
    ASSERT_EQ(set_output(e, 0, {memory.memory, offset, length}), kOk);
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
    const BurstPointer burst = make_burst(doubling.compilation);
    const auto frame = [&] {
      const ExecutionPointer e =
          make_execution(doubling.compilation, {{memory.memory, 0, kBytes}}, {{memory.memory, kBytes, kBytes}});
      EXPECT_EQ(ANeuralNetworksExecution_burstCompute(e.get(), burst.get()), kOk);
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
    ASSERT_EQ(first.compute({ends.memory, 0, kBytes}, {between, 0, 0}), kOk);
    ASSERT_EQ(second.compute({between, 0, 0}, {ends.memory, kBytes, kBytes}), kOk);
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
      const ExecutionPointer write = make_execution(first.compilation, {{ends.memory, 0, bytes, type.get()}}, {{between, 0, 0}});
      ASSERT_EQ(ANeuralNetworksExecution_compute(write.get()), kOk);
      uint32_t dims = 0;
      ASSERT_EQ(ANeuralNetworksExecution_getOutputOperandDimensions(write.get(), 0, &dims), kOk);
      EXPECT_EQ(dims, count);
      ASSERT_EQ(second.compute({between, 0, 0, type.get()}, {ends.memory, kBytes, bytes, type.get()}), kOk);
      EXPECT_EQ(ends.view[kCount + count - 1], 4.0F * static_cast<float>(count));
      const std::span<float> room(ends.view, count + 1);
      EXPECT_EQ(second.compute({between, 0, 0, other.get()}, Output(room, other.get())), kFailed);
      const Shared plain(bytes);
      EXPECT_EQ(ANeuralNetworksMemory_copy(between.get(), plain.memory.get()), kOk);
      EXPECT_EQ(plain.view[count - 1], 2.0F * static_cast<float>(count));
      EXPECT_EQ(ANeuralNetworksMemory_copy(between.get(), ends.memory.get()), kBadData);
    }
    // The declared shape is open, although the current value has a shape.
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
    ASSERT_EQ(open.compute({target, 0, 0, six.get()}, {plain.memory, 0, 24, six.get()}), kOk);
    EXPECT_EQ(plain.view[5], 12.0F);
  }
}

TEST(MemoryMovement, EveryKindOfMemoryIsCopiedToEveryOther) {
  for (const ANeuralNetworksDevice* device : devices()) {
    SCOPED_TRACE(name_of(device));
    const Doubling on_device(device, kCount);
    const Doubling on_cpu(cpu_device(), kCount);
    const BufferPointer buffer = make_blob(kBytes);
    const MemoryPointer in_buffer = memory_in(buffer);
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
}

// An IF runs in parts, and the host decides between them: the values of device memory pass through the host.
TEST(MemoryMovement, ModelsWithControlFlowTakeMemoryOfTheDevice) {
  for (const ANeuralNetworksDevice* device : devices()) {
    SCOPED_TRACE(name_of(device));
    const ModelBuilder twice = with_itself(ANEURALNETWORKS_ADD, 4);
    const ModelBuilder nothing = with_itself(ANEURALNETWORKS_SUB, 4);
    ModelBuilder model;
    const uint32_t x = model.operand(kFloat, {4});
    const uint32_t condition = model.operand(ANEURALNETWORKS_TENSOR_BOOL8, {1});
    const uint32_t then_model = model.reference(twice);
    const uint32_t else_model = model.reference(nothing);
    const uint32_t z = model.operand(kFloat, {4});
    ASSERT_EQ(model.operation(ANEURALNETWORKS_IF, {condition, then_model, else_model, x}, {z}), kOk);
    model.finish({x, condition}, {z});
    const CompilationPointer compilation = compiled_on(model.get(), device);
    const MemoryDescPointer in_desc = make_desc();
    const MemoryDescPointer out_desc = make_desc();
    add_input_role(in_desc, compilation);
    add_output_role(out_desc, compilation);
    const MemoryPointer in = memory_from(in_desc);
    const MemoryPointer out = memory_from(out_desc);
    const Shared plain(16);
    for (const uint8_t holds : {1, 0}) {
      plain.fill(1.0F);
      ASSERT_EQ(ANeuralNetworksMemory_copy(plain.memory.get(), in.get()), kOk);
      ASSERT_EQ(compute(make_execution(compilation, {{in, 0, 0}, holds}, {{out, 0, 0}})), kOk);
      ASSERT_EQ(ANeuralNetworksMemory_copy(out.get(), plain.memory.get()), kOk);
      EXPECT_EQ(plain.view[3], holds != 0 ? 8.0F : 0.0F);
    }
  }
}

}  // namespace
}  // namespace nnvk::test
