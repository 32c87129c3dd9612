// The network of the tests, an application's frames that run it, and a test fixture with an application. Header only.
#pragma once

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <nnvk/diagnostics.h>

#include <array>
#include <memory>
#include <optional>
#include <span>
#include <vector>

#include "tests/api/recording/application.h"
#include "tests/api/recording/watched_heap.h"

namespace nnvk::test {

inline constexpr uint32_t kSide = 12;
inline constexpr uint32_t kChannels = 4;
inline constexpr size_t kCount = size_t{kSide} * kSide * kChannels;
inline constexpr size_t kBytes = kCount * sizeof(float);
inline const std::vector<uint32_t> kDims{1, kSide, kSide, kChannels};

inline std::vector<float> numbers(size_t count, uint32_t seed) {
  std::vector<float> values(count);
  for (size_t i = 0; i < count; ++i) values[i] = static_cast<float>((i * 37 + seed * 101) % 97) / 48.0F - 1.0F;
  return values;
}

// Constants of the network, which must outlive the model.
inline const std::vector<float>& weights() {
  static const std::vector<float> values = numbers(size_t{kChannels} * 9 * kChannels, 3);
  return values;
}

// x -> 3x3 convolution, RELU6 -> LOGISTIC -> + x -> 3x3 convolution -> y, all of one shape.
inline ModelBuilder make_network(const std::vector<uint32_t>& dims = kDims) {
  static const std::vector<float> bias(kChannels, 0.25F);
  ModelBuilder m;
  const uint32_t x = m.operand(kFloat, dims);
  const uint32_t kernel = m.constant(kFloat, {kChannels, 3, 3, kChannels}, weights());
  const uint32_t offset = m.constant(kFloat, {kChannels}, bias);
  const auto convolve = [&](uint32_t from, int32_t activation) {
    const uint32_t to = m.operand(kFloat, dims);
    EXPECT_EQ(m.operation(ANEURALNETWORKS_CONV_2D,
                          {from, kernel, offset, m.constant(ANEURALNETWORKS_PADDING_SAME), m.constant(1), m.constant(1),
                           m.constant(activation)},
                          {to}),
              kOk);
    return to;
  };
  const uint32_t clamped = convolve(x, ANEURALNETWORKS_FUSED_RELU6);
  const uint32_t squashed = m.operand(kFloat, dims);
  EXPECT_EQ(m.operation(ANEURALNETWORKS_LOGISTIC, {clamped}, {squashed}), kOk);
  const uint32_t sum = m.operand(kFloat, dims);
  EXPECT_EQ(m.operation(ANEURALNETWORKS_ADD, {squashed, x, m.constant(ANEURALNETWORKS_FUSED_NONE)}, {sum}), kOk);
  const uint32_t y = convolve(sum, ANEURALNETWORKS_FUSED_NONE);
  m.finish({x}, {y});
  return m;
}

// The result of nnapi-reference.
inline std::vector<float> expected(const std::vector<float>& x) {
  const Compiled network(make_network(), cpu_device());
  std::vector<float> y(kCount);
  const ExecutionPointer execution = make_execution(network.compilation, {x}, {y});
  EXPECT_EQ(compute(execution), kOk);
  return y;
}

inline void expect_close(std::span<const float> actual, const std::vector<float>& wanted) {
  ASSERT_EQ(actual.size(), wanted.size());
  for (size_t i = 0; i < actual.size(); ++i) ASSERT_NEAR(actual[i], wanted[i], 1e-3F) << "element " << i;
}

using RecordingPointer = Owner<NnvkVkRecording, nnvk_vkFreeRecording>;

// One tensor in a buffer of the application.
struct Tensor {
  Tensor(const Application& application, ANeuralNetworksDevice* device, uint32_t access, size_t bytes = kBytes) {
    VkBufferUsageFlags usage = 0;
    VkDeviceSize alignment = 0;
    EXPECT_EQ(nnvk_vkBufferNeeds(device, &usage, &alignment), kOk);
    usage |= VK_BUFFER_USAGE_TRANSFER_SRC_BIT | VK_BUFFER_USAGE_TRANSFER_DST_BIT;
    buffer.emplace(application, bytes, usage);
    ANeuralNetworksMemory* made = nullptr;
    EXPECT_EQ(nnvk_vkMemoryFromBuffer(device, buffer->get(), 0, bytes, usage, access, &made), kOk) << nnvk_lastError();
    memory.reset(made);
  }
  std::span<float> values() const { return buffer->values<float>(); }
  std::optional<HostBuffer> buffer;
  MemoryPointer memory;
};

// One frame of an application: an input, an output and a recording from one to the other.
struct Frame {
  Frame(const Application& application, ANeuralNetworksDevice* device, const CompilationPointer& compilation)
      : x(application, device, NNVK_VK_ACCESS_READ), y(application, device, NNVK_VK_ACCESS_WRITE), commands(application) {
    const ExecutionPointer execution = make_execution(compilation, {{x.memory, 0, kBytes}}, {{y.memory, 0, kBytes}});
    NnvkVkRecording* made = nullptr;
    EXPECT_EQ(nnvk_vkCreateRecording(execution.get(), VK_NULL_HANDLE, 0, &made), kOk) << nnvk_lastError();
    recording.reset(made);
  }
  void fill(uint32_t seed) {
    input = numbers(kCount, seed);
    std::ranges::copy(input, x.values().begin());
  }
  void check() const { expect_close(y.values(), expected(input)); }
  void record_before(VkCommandBuffer) const {}  // no commands: the host writes the input and reads the output
  void record_after(VkCommandBuffer) const {}

  Tensor x;
  Tensor y;
  Commands commands;
  std::vector<float> input;
  RecordingPointer recording;
};

inline constexpr uint32_t kBothBarriers = NNVK_VK_RECORD_INPUT_BARRIER | NNVK_VK_RECORD_OUTPUT_BARRIER;

// Runs 1 000 frames, several in flight. A frame has `commands`, a `recording`, fill(), check(), and commands of its own before
// and after. Memory and locks of the driver in vkCmd* calls do not count.
template <class SomeFrame, size_t kFrames>
void expect_recording_takes_nothing(std::array<std::optional<SomeFrame>, kFrames>& frames) {
  HeapCounts total;
  VulkanCounts made;
  uint64_t recorded = 0;
  for (uint32_t number = 0; number < 1000; ++number) {
    SomeFrame& frame = *frames[number % frames.size()];
    frame.commands.wait();
    if (number >= frames.size() && number % 100 < frames.size()) frame.check();
    ASSERT_EQ(nnvk_vkResetRecording(frame.recording.get()), kOk);
    if (number % 100 < frames.size()) frame.fill(number);
    const VkCommandBuffer commands = frame.commands.begin();
    frame.record_before(commands);
    const VulkanCounts before = vulkan_counts();
    HeapCounts counts;
    int result = 0;
    {
      const HeapWatch watch;
      result = nnvk_vkRecord(frame.recording.get(), commands, kBothBarriers);
      counts = watch.counts();
    }
    ASSERT_EQ(result, kOk) << nnvk_lastError();
    const VulkanCounts after = vulkan_counts();
    total.allocations += counts.allocations;
    total.frees += counts.frees;
    total.locks += counts.locks;
    made.made += after.made - before.made;
    made.updated += after.updated - before.updated;
    made.submitted += after.submitted - before.submitted;
    recorded += after.recorded - before.recorded;
    frame.record_after(commands);
    frame.commands.submit();
  }
  for (auto& frame : frames) {
    frame->commands.wait();
    frame->check();
  }
  EXPECT_EQ(total.allocations, 0U);
  EXPECT_EQ(total.frees, 0U);
  EXPECT_EQ(total.locks, 0U);
  EXPECT_EQ(made.made, 0U);
  EXPECT_EQ(made.updated, 0U);
  EXPECT_EQ(made.submitted, 0U);
  EXPECT_GT(recorded, 1000U * 4) << "the counters are behind what nnvk calls";
  EXPECT_EQ(vulkan_counts().foreign, 0U) << "nothing else of the command buffer's state changes";
}

class RecordingTest : public testing::Test {
 protected:
  void SetUp() override {
    application_ = Application::open();
    if (!application_) GTEST_SKIP() << "no Vulkan device on this machine";
    device_ = application_->import();
    ASSERT_NE(device_, nullptr);
  }
  NnvkVkRecordInfo info_of(const CompilationPointer& compilation) {
    NnvkVkRecordInfo info{};
    info.structSize = sizeof info;
    EXPECT_EQ(nnvk_vkGetRecordInfo(compilation.get(), device_, &info), kOk) << nnvk_lastError();
    return info;
  }

  std::unique_ptr<Application> application_;
  ANeuralNetworksDevice* device_ = nullptr;
};

}  // namespace nnvk::test
