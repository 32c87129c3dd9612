// Memories in hardware buffers: BLOBs as inputs, outputs and constants at any offset, copies, and the errors of other buffers.
#include <sys/socket.h>

#include <chrono>
#include <filesystem>
#include <fstream>
#include <functional>
#include <iterator>
#include <thread>

#include "tests/api/hardware_buffers.h"
#include "tests/api/misuse_table.h"
#include "tests/support/process_usage.h"

namespace nnvk::test {
namespace {

constexpr uint64_t kRead = AHARDWAREBUFFER_USAGE_CPU_READ_OFTEN;
constexpr uint64_t kWrite = AHARDWAREBUFFER_USAGE_CPU_WRITE_OFTEN;

void put(const BufferPointer& buffer, size_t offset, std::array<float, 2> values) {
  std::memcpy(content_of(buffer) + offset, values.data(), sizeof values);
}

std::array<float, 2> get(const BufferPointer& buffer, size_t offset) {
  std::array<float, 2> values{};
  std::memcpy(values.data(), content_of(buffer) + offset, sizeof values);
  return values;
}

size_t buffer_mappings() {
  std::ifstream maps("/proc/self/maps");
  size_t count = 0;
  for (std::string line; std::getline(maps, line);) count += line.find("memfd:AHardwareBuffer") != std::string::npos ? 1 : 0;
  return count;
}

// The thread that ends an execution releases its memory after it has notified the waiting client. Waits up to ten seconds.
size_t buffer_mappings_after(size_t expected) {
  for (int i = 0; i < 10000 && buffer_mappings() != expected; ++i) std::this_thread::sleep_for(std::chrono::milliseconds(1));
  return buffer_mappings();
}

class HardwareBuffers : public ::testing::Test {
 protected:
  // Runs `test` with a finished compilation of z = x + y over two floats for each device, and whether that is the CPU device.
  void on_every_device(const std::function<void(const CompilationPointer&, bool is_cpu)>& test) {
    for (const ANeuralNetworksDevice* device : devices()) {
      SCOPED_TRACE(name_of(device));
      test(compiled_on(model_.get(), device), is_cpu(device));
    }
  }
  // x and y from one memory, z into another.
  static int add(const CompilationPointer& compilation, const MemoryPointer& in, size_t x, size_t y, const MemoryPointer& out,
                 size_t z) {
    return compute(make_execution(compilation, {{in, x, 8}, {in, y, 8}}, {{out, z, 8}}));
  }

  const ModelBuilder model_ = make_add({2});
  const CompilationPointer on_cpu_ = finished(compile_for_cpu(model_.get()));
};

TEST_F(HardwareBuffers, BlobsAreInputsAndOutputsAtAnyOffset) {
  on_every_device([](const CompilationPointer& compilation, bool) {
    for (const size_t offset : {size_t{0}, size_t{4}, size_t{5}, size_t{4090}}) {
      const BufferPointer in = make_blob(5000);
      const BufferPointer out = make_blob(5000);
      put(in, offset, {1.0F, 2.0F});
      put(in, offset + 11, {10.0F, 20.0F});
      content_of(out)[offset + 8] = 77;
      EXPECT_EQ(add(compilation, memory_in(in), offset, offset + 11, memory_in(out), offset), kOk);
      EXPECT_EQ(get(out, offset), (std::array{11.0F, 22.0F})) << offset;
      EXPECT_EQ(content_of(out)[offset + 8], 77) << "bytes behind the output changed";
    }
  });
}

TEST_F(HardwareBuffers, ABlobIsUsedInPlaceAndNothingIsLeft) {
  ASSERT_EQ(buffer_mappings_after(0), 0U) << "other tests left some";
  add(on_cpu_, make_memory(64), 0, 8, make_memory(64), 0);  // allocates one-time state
  const size_t descriptors = open_descriptors();
  {
    const BufferPointer buffer = make_blob(64);
    const MemoryPointer memory = memory_in(buffer);
    put(buffer, 0, {1.0F, 2.0F});
    EXPECT_EQ(add(on_cpu_, memory, 0, 0, memory, 16), kOk);
    EXPECT_EQ(get(buffer, 16), (std::array{2.0F, 4.0F}));
    EXPECT_EQ(buffer_mappings_after(1), 1U) << "the client's mapping is the only one";
  }
  EXPECT_EQ(buffer_mappings_after(0), 0U);
  EXPECT_EQ(open_descriptors(), descriptors);
}

TEST_F(HardwareBuffers, AMemoryKeepsItsBuffer) {
  const BufferPointer out = make_blob(8);
  BufferPointer in = make_blob(8);
  put(in, 0, {1.0F, 2.0F});
  const MemoryPointer memory = memory_in(in);
  in.reset();
  EXPECT_EQ(add(on_cpu_, memory, 0, 0, memory_in(out), 0), kOk);
  EXPECT_EQ(get(out, 0), (std::array{2.0F, 4.0F}));
}

TEST_F(HardwareBuffers, ReceivedBuffersWorkLikeTheirOriginals) {
  int ends[2];
  ASSERT_EQ(::socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, ends), 0);
  const BufferPointer original = make_blob(64);
  put(original, 3, {1.0F, 2.0F});
  ASSERT_EQ(AHardwareBuffer_sendHandleToUnixSocket(original.get(), ends[0]), 0);
  AHardwareBuffer* buffer = nullptr;
  ASSERT_EQ(AHardwareBuffer_recvHandleFromUnixSocket(ends[1], &buffer), 0);
  const BufferPointer received(buffer);
  on_every_device([&](const CompilationPointer& compilation, bool) {
    EXPECT_EQ(add(compilation, memory_in(received), 3, 3, memory_in(received), 24), kOk);
    EXPECT_EQ(get(original, 24), (std::array{2.0F, 4.0F}));
  });
  ::close(ends[0]);
  ::close(ends[1]);
}

TEST_F(HardwareBuffers, BuffersForTheGpuNeedNoCpuUsageButThenTheCpuDevicesDoNotTakeThem) {
  const BufferPointer out = make_blob(64);
  const BufferPointer between = make_blob(64, AHARDWAREBUFFER_USAGE_GPU_DATA_BUFFER);
  const BufferPointer in = make_blob(64);
  put(in, 0, {1.0F, 2.0F});
  on_every_device([&](const CompilationPointer& compilation, bool is_cpu) {
    EXPECT_EQ(add(compilation, memory_in(in), 0, 0, memory_in(between), 12), is_cpu ? kUnmappable : kOk);
    EXPECT_EQ(add(compilation, memory_in(between), 12, 12, memory_in(out), 0), is_cpu ? kUnmappable : kOk);
    if (is_cpu) return;
    EXPECT_EQ(get(out, 0), (std::array{4.0F, 8.0F}));
  });
}

TEST_F(HardwareBuffers, WhatTheUsageForbidsIsUnmappable) {
  const MemoryPointer plain = make_memory(64);
  const MemoryPointer read_only = memory_in(make_blob(64, kRead));
  const MemoryPointer write_only = memory_in(make_blob(64, kWrite));
  EXPECT_EQ(add(on_cpu_, read_only, 0, 0, write_only, 0), kOk);
  EXPECT_EQ(add(on_cpu_, plain, 0, 0, read_only, 0), kUnmappable);
  EXPECT_EQ(add(on_cpu_, write_only, 0, 0, plain, 0), kUnmappable);
  EXPECT_EQ(ANeuralNetworksMemory_copy(plain.get(), read_only.get()), kUnmappable);
  EXPECT_EQ(ANeuralNetworksMemory_copy(write_only.get(), plain.get()), kUnmappable);
}

TEST_F(HardwareBuffers, RegionsLieInsideTheBlob) {
  const MemoryPointer memory = memory_in(make_blob(20));
  const auto set = [&](size_t offset, size_t length) {
    const ExecutionPointer execution = make_execution(on_cpu_.get());
    const int input = set_input(execution, 0, {memory, offset, length});
    const int output = set_output(execution, 0, {memory, offset, length});
    EXPECT_EQ(input, output);
    return input;
  };
  EXPECT_EQ(set(12, 8), kOk);
  EXPECT_EQ(set(13, 8), kBadData);
  EXPECT_EQ(set(SIZE_MAX - 3, 8), kBadData);
  EXPECT_EQ(set(0, 0), kBadData) << "the size of a region cannot be implied";
}

TEST_F(HardwareBuffers, CopiesMoveTheWholeBlob) {
  const BufferPointer source = make_blob(8);
  const BufferPointer destination = make_blob(8);
  const MemoryPointer from = memory_in(source);
  const MemoryPointer to = memory_in(destination);
  const MemoryPointer file = make_memory(8);
  put(source, 0, {3.0F, 4.0F});
  EXPECT_EQ(ANeuralNetworksMemory_copy(from.get(), file.get()), kOk);
  EXPECT_EQ(ANeuralNetworksMemory_copy(file.get(), to.get()), kOk);
  EXPECT_EQ(get(destination, 0), (std::array{3.0F, 4.0F}));
  EXPECT_EQ(ANeuralNetworksMemory_copy(from.get(), make_memory(9).get()), kBadData);
}

TEST_F(HardwareBuffers, ConstantsComeFromBlobs) {
  const BufferPointer buffer = make_blob(64);
  const BufferPointer picture = make_buffer(AHARDWAREBUFFER_FORMAT_R8G8B8A8_UNORM, 8, 8);
  const MemoryPointer memory = memory_in(buffer);
  const MemoryPointer picture_memory = memory_in(picture);
  put(buffer, 9, {100.0F, 200.0F});
  ModelBuilder model;
  const uint32_t x = model.operand(kFloat, {2});
  const uint32_t y = model.operand(kFloat, {2});
  const uint32_t fused = model.constant(ANEURALNETWORKS_FUSED_NONE);
  const uint32_t z = model.operand(kFloat, {2});
  const auto constant = [&](const MemoryPointer& from, size_t offset, size_t length) {
    return ANeuralNetworksModel_setOperandValueFromMemory(model.get(), static_cast<int32_t>(y), from.get(), offset, length);
  };
  check_cases({
      {163, "buffer that is not a BLOB", kBadData, NNVK_CALL(constant(picture_memory, 0, 8))},
      {0, "all of a buffer that is not a BLOB", kBadData, NNVK_CALL(constant(picture_memory, 0, 0))},
      {0, "behind the end of the BLOB", kBadData, NNVK_CALL(constant(memory, 57, 8))},
      {164, "inside the BLOB", kOk, NNVK_CALL(constant(memory, 9, 8))},
  });
  ASSERT_EQ(model.operation(ANEURALNETWORKS_ADD, {x, y, fused}, {z}), kOk);
  model.finish({x}, {z});
  const CompilationPointer compilation = finished(compile_for_all(model.get()));
  const std::array in{1.0F, 2.0F};
  std::array out{0.0F, 0.0F};
  EXPECT_EQ(compute(make_execution(compilation, {in}, {out})), kOk);
  EXPECT_EQ(out, (std::array{101.0F, 202.0F}));
}

TEST_F(HardwareBuffers, PicturesAreUsedAsAWholeAndHaveNoBytesToMap) {
  const BufferPointer picture = make_buffer(AHARDWAREBUFFER_FORMAT_R8G8B8A8_UNORM, 8, 8);
  const MemoryPointer memory = memory_in(picture);
  const MemoryPointer file = make_memory(256);
  const ExecutionPointer execution = make_execution(on_cpu_.get());
  check_cases({
      {503, "input: length", kBadData, NNVK_CALL(set_input(execution, 0, {memory, 0, 8}))},
      {0, "input: offset", kBadData, NNVK_CALL(set_input(execution, 0, {memory, 8, 0}))},
      {522, "output: length", kBadData, NNVK_CALL(set_output(execution, 0, {memory, 0, 8}))},
      {0, "input: all", kOk, NNVK_CALL(set_input(execution, 0, {memory, 0, 0}))},
      {0, "copy from", kUnmappable, NNVK_CALL(ANeuralNetworksMemory_copy(memory.get(), file.get()))},
      {0, "copy to", kUnmappable, NNVK_CALL(ANeuralNetworksMemory_copy(file.get(), memory.get()))},
  });
  ASSERT_EQ(set_input(execution, 1, {file, 0, 8}), kOk);
  ASSERT_EQ(set_output(execution, 0, {file, 8, 8}), kOk);
  EXPECT_EQ(compute(execution), kUnmappable);
}

TEST_F(HardwareBuffers, PointersThatAreNoBuffersAreFoundOut) {
  alignas(16) const char bogus[64] = {};
  ANeuralNetworksMemory* memory = nullptr;
  EXPECT_EQ(ANeuralNetworksMemory_createFromAHardwareBuffer(reinterpret_cast<const AHardwareBuffer*>(bogus), &memory), kBadData);
  EXPECT_EQ(memory, nullptr);
}

}  // namespace
}  // namespace nnvk::test
