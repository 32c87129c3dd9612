// Executions recorded into command buffers of an application, over the C API: results, what recording costs, and what is refused.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <nnvk/diagnostics.h>

#include <array>
#include <cmath>
#include <optional>

#include "tests/api/recording/application.h"
#include "tests/api/recording/watched_heap.h"

namespace nnvk::test {
namespace {

using testing::HasSubstr;

constexpr uint32_t kSide = 12;
constexpr uint32_t kChannels = 4;
constexpr size_t kCount = size_t{kSide} * kSide * kChannels;
constexpr size_t kBytes = kCount * sizeof(float);
const std::vector<uint32_t> kDims{1, kSide, kSide, kChannels};

std::vector<float> numbers(size_t count, uint32_t seed) {
  std::vector<float> values(count);
  for (size_t i = 0; i < count; ++i) values[i] = static_cast<float>((i * 37 + seed * 101) % 97) / 48.0F - 1.0F;
  return values;
}

// Constants of the network, which must outlive the model.
const std::vector<float>& weights() {
  static const std::vector<float> values = numbers(size_t{kChannels} * 9 * kChannels, 3);
  return values;
}

// x -> 3x3 convolution, RELU6 -> LOGISTIC -> + x -> 3x3 convolution -> y, all of one shape.
ModelBuilder make_network(const std::vector<uint32_t>& dims = kDims) {
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

// What nnapi-reference computes.
std::vector<float> expected(const std::vector<float>& x) {
  const Compiled network(make_network(), cpu_device());
  std::vector<float> y(kCount);
  const ExecutionPointer execution = make_execution(network.compilation, {x}, {y});
  EXPECT_EQ(compute(execution), kOk);
  return y;
}

void expect_close(std::span<const float> actual, const std::vector<float>& wanted) {
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

  Tensor x;
  Tensor y;
  Commands commands;
  std::vector<float> input;
  RecordingPointer recording;
};

constexpr uint32_t kBothBarriers = NNVK_VK_RECORD_INPUT_BARRIER | NNVK_VK_RECORD_OUTPUT_BARRIER;

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

TEST_F(RecordingTest, GivesWhatTheReferenceComputesInOneSubmission) {
  const Compiled network(make_network(), device_);
  const NnvkVkRecordInfo info = info_of(network.compilation);
  EXPECT_EQ(info.recordable, 1U);
  EXPECT_EQ(info.firstBlockedOperation, UINT32_MAX);
  EXPECT_EQ(info.shapesKnown, 1U);
  EXPECT_EQ(info.preparationPending, 0U);
  EXPECT_GT(info.dispatchCount, 2U);
  EXPECT_GT(info.scratchSize, 0U);
  Frame frame(*application_, device_, network.compilation);
  frame.fill(1);
  const VulkanCounts before = vulkan_counts();
  frame.commands.run([&](VkCommandBuffer commands) {
    EXPECT_EQ(nnvk_vkRecord(frame.recording.get(), commands, kBothBarriers), kOk) << nnvk_lastError();
  });
  EXPECT_EQ(vulkan_counts().submitted, before.submitted) << "nnvk submits nothing of its own";
  frame.check();
  EXPECT_EQ(nnvk_vkResetRecording(frame.recording.get()), kOk);
}

// 1 000 frames, two in flight. What the driver does in a vkCmd* call is the driver's.
TEST_F(RecordingTest, RecordingTakesNoMemoryAndNoLock) {
  if (!kHeapCanBeWatched) GTEST_SKIP() << "the sanitizer has hooks of its own";
  const Compiled network(make_network(), device_);
  std::array<std::optional<Frame>, 2> frames;
  for (auto& frame : frames) frame.emplace(*application_, device_, network.compilation);
  HeapCounts total;
  VulkanCounts made;
  uint64_t recorded = 0;
  for (uint32_t number = 0; number < 1000; ++number) {
    Frame& frame = *frames[number % frames.size()];
    frame.commands.wait();
    if (number >= frames.size() && number % 100 < frames.size()) frame.check();
    ASSERT_EQ(nnvk_vkResetRecording(frame.recording.get()), kOk);
    if (number % 100 < frames.size()) frame.fill(number);
    const VkCommandBuffer commands = frame.commands.begin();
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

TEST_F(RecordingTest, TheWatchSeesMemoryAndLocks) {
  if (!kHeapCanBeWatched) GTEST_SKIP() << "the sanitizer has hooks of its own";
  const Compiled network(make_network(), device_);
  Frame frame(*application_, device_, network.compilation);
  const ExecutionPointer execution =
      make_execution(network.compilation, {{frame.x.memory, 0, kBytes}}, {{frame.y.memory, 0, kBytes}});
  NnvkVkRecording* made = nullptr;
  const VulkanCounts before = vulkan_counts();
  HeapCounts counts;
  {
    const HeapWatch watch;
    EXPECT_EQ(nnvk_vkCreateRecording(execution.get(), VK_NULL_HANDLE, 0, &made), kOk);
    counts = watch.counts();
  }
  const RecordingPointer owner(made);
  EXPECT_GT(counts.allocations, 0U);
  EXPECT_GT(counts.frees, 0U);
  EXPECT_GT(counts.locks, 0U);
  EXPECT_GT(vulkan_counts().made, before.made);
  EXPECT_GT(vulkan_counts().updated, before.updated);
}

TEST_F(RecordingTest, ALoopThatDependsOnDataIsRefusedWithItsIndex) {
  // TANH, then the loop: operation 1.
  ModelBuilder condition;
  const uint32_t seen = condition.operand(kFloat, {1});
  const uint32_t goes_on = condition.operand(ANEURALNETWORKS_TENSOR_BOOL8, {1});
  const uint32_t limit = condition.constant<float>(kFloat, {1}, {0.5F});
  EXPECT_EQ(condition.operation(ANEURALNETWORKS_GREATER, {seen, limit}, {goes_on}), kOk);
  condition.finish({seen}, {goes_on});
  const ModelBuilder body = make_unary(ANEURALNETWORKS_TANH, kFloat, {1});
  ModelBuilder m;
  const uint32_t condition_model = m.reference(condition);
  const uint32_t body_model = m.reference(body);
  const uint32_t x = m.operand(kFloat, {1});
  const uint32_t before = m.operand(kFloat, {1});
  const uint32_t y = m.operand(kFloat, {1});
  EXPECT_EQ(m.operation(ANEURALNETWORKS_TANH, {x}, {before}), kOk);
  EXPECT_EQ(m.operation(ANEURALNETWORKS_WHILE, {condition_model, body_model, before}, {y}), kOk);
  m.finish({x}, {y});
  const CompilationPointer compilation = compiled_on(m.get(), device_);
  const NnvkVkRecordInfo info = info_of(compilation);
  EXPECT_EQ(info.recordable, 0U);
  EXPECT_EQ(info.firstBlockedOperation, 1U);

  const Tensor in(*application_, device_, NNVK_VK_ACCESS_READ, 16);
  const Tensor out(*application_, device_, NNVK_VK_ACCESS_WRITE, 16);
  const ExecutionPointer execution = make_execution(compilation, {{in.memory, 0, 4}}, {{out.memory, 0, 4}});
  NnvkVkRecording* recording = nullptr;
  EXPECT_EQ(nnvk_vkCreateRecording(execution.get(), VK_NULL_HANDLE, 0, &recording), NNVK_NOT_RECORDABLE);
  EXPECT_EQ(recording, nullptr);
  EXPECT_THAT(nnvk_lastError(), HasSubstr("WHILE (operation 1) cannot be recorded"));
}

// Without a queue nnvk submits nothing at all; the application brings the weights to the device.
TEST_F(RecordingTest, RecordOnlyImportWorksWithoutAQueue) {
  const uint64_t submitted = vulkan_counts().submitted;
  ANeuralNetworksDevice* const record_only = application_->import({.with_queue = false});
  ASSERT_NE(record_only, nullptr);
  {
    const Compiled network(make_network(), record_only);
    NnvkVkRecordInfo info{};
    info.structSize = sizeof info;
    ASSERT_EQ(nnvk_vkGetRecordInfo(network.compilation.get(), record_only, &info), kOk) << nnvk_lastError();
    EXPECT_EQ(info.recordable, 1U);
    EXPECT_EQ(info.preparationPending, 1U);
    Frame frame(*application_, record_only, network.compilation);
    const ExecutionPointer execution =
        make_execution(network.compilation, {{frame.x.memory, 0, kBytes}}, {{frame.y.memory, 0, kBytes}});
    EXPECT_EQ(compute(execution), kBadState) << "nothing runs on it but what is recorded";

    frame.fill(5);
    EXPECT_EQ(nnvk_vkRecord(frame.recording.get(), frame.commands.get(), 0), kBadState) << "the weights are not there";
    EXPECT_EQ(nnvk_vkPreparationDone(network.compilation.get(), record_only), kBadState);
    frame.commands.run([&](VkCommandBuffer commands) {
      EXPECT_EQ(nnvk_vkRecordPreparation(network.compilation.get(), record_only, commands), kOk) << nnvk_lastError();
      EXPECT_EQ(nnvk_vkRecord(frame.recording.get(), commands, kBothBarriers), kOk) << nnvk_lastError();
    });
    frame.check();
    EXPECT_EQ(nnvk_vkPreparationDone(network.compilation.get(), record_only), kOk);
    ASSERT_EQ(nnvk_vkGetRecordInfo(network.compilation.get(), record_only, &info), kOk);
    EXPECT_EQ(info.preparationPending, 0U);

    EXPECT_EQ(nnvk_vkResetRecording(frame.recording.get()), kOk);
    frame.fill(6);
    frame.commands.run([&](VkCommandBuffer commands) {
      EXPECT_EQ(nnvk_vkRecord(frame.recording.get(), commands, kBothBarriers), kOk) << nnvk_lastError();
    });
    frame.check();
  }
  application_->release(record_only);
  EXPECT_EQ(vulkan_counts().submitted, submitted);
}

TEST_F(RecordingTest, ScratchOfTheApplicationIsEnough) {
  const Compiled network(make_network(), device_);
  const NnvkVkRecordInfo info = info_of(network.compilation);
  ASSERT_GT(info.scratchSize, 0U);
  const VkDeviceSize begin = 2 * info.scratchAlignment;
  const HostBuffer scratch(*application_, begin + info.scratchSize, info.scratchUsage);
  Frame frame(*application_, device_, network.compilation);
  const ExecutionPointer execution =
      make_execution(network.compilation, {{frame.x.memory, 0, kBytes}}, {{frame.y.memory, 0, kBytes}});
  NnvkVkRecording* made = nullptr;
  ASSERT_EQ(nnvk_vkCreateRecording(execution.get(), scratch.get(), begin, &made), kOk) << nnvk_lastError();
  const RecordingPointer recording(made);
  frame.fill(8);
  frame.commands.run([&](VkCommandBuffer commands) { EXPECT_EQ(nnvk_vkRecord(recording.get(), commands, kBothBarriers), kOk); });
  frame.check();
  EXPECT_EQ(nnvk_vkCreateRecording(execution.get(), scratch.get(), 1, &made), kBadData);
  EXPECT_EQ(made, nullptr);
}

// Where kernels cannot use them: the device copies, with barriers of its own.
TEST_F(RecordingTest, CrookedOffsetsAreCopied) {
  const Compiled network(make_network(), device_);
  const Tensor x(*application_, device_, NNVK_VK_ACCESS_READ, kBytes + 16);
  const Tensor y(*application_, device_, NNVK_VK_ACCESS_WRITE, kBytes + 16);
  const ExecutionPointer execution = make_execution(network.compilation, {{x.memory, 4, kBytes}}, {{y.memory, 12, kBytes}});
  NnvkVkRecording* made = nullptr;
  ASSERT_EQ(nnvk_vkCreateRecording(execution.get(), VK_NULL_HANDLE, 0, &made), kOk) << nnvk_lastError();
  const RecordingPointer recording(made);
  const std::vector<float> input = numbers(kCount, 7);
  std::ranges::fill(y.values(), -99.0F);
  std::ranges::copy(input, x.values().begin() + 1);
  Commands commands(*application_);
  commands.run([&](VkCommandBuffer buffer) { EXPECT_EQ(nnvk_vkRecord(made, buffer, kBothBarriers), kOk); });
  expect_close(y.values().subspan(3, kCount), expected(input));
  for (const size_t beside : {size_t{0}, size_t{1}, size_t{2}, 3 + kCount}) EXPECT_EQ(y.values()[beside], -99.0F) << beside;
}

// In one command buffer, the second reading what the first writes, and in the same scratch memory.
TEST_F(RecordingTest, RecordingsFollowEachOtherWithoutBarriersOfTheApplication) {
  const Compiled network(make_network(), device_);
  const NnvkVkRecordInfo info = info_of(network.compilation);
  const HostBuffer scratch(*application_, info.scratchSize, info.scratchUsage);
  const Tensor x(*application_, device_, NNVK_VK_ACCESS_READ);
  const Tensor between(*application_, device_, NNVK_VK_ACCESS_READ | NNVK_VK_ACCESS_WRITE);
  const Tensor y(*application_, device_, NNVK_VK_ACCESS_WRITE);
  const auto record_from = [&](const Tensor& from, const Tensor& to) {
    const ExecutionPointer execution = make_execution(network.compilation, {{from.memory, 0, kBytes}}, {{to.memory, 0, kBytes}});
    NnvkVkRecording* made = nullptr;
    EXPECT_EQ(nnvk_vkCreateRecording(execution.get(), scratch.get(), 0, &made), kOk) << nnvk_lastError();
    return RecordingPointer(made);
  };
  const RecordingPointer first = record_from(x, between);
  const RecordingPointer second = record_from(between, y);
  const std::vector<float> input = numbers(kCount, 4);
  std::ranges::copy(input, x.values().begin());
  Commands commands(*application_);
  commands.run([&](VkCommandBuffer buffer) {
    EXPECT_EQ(nnvk_vkRecord(first.get(), buffer, NNVK_VK_RECORD_INPUT_BARRIER), kOk);
    EXPECT_EQ(nnvk_vkRecord(second.get(), buffer, NNVK_VK_RECORD_OUTPUT_BARRIER), kOk);
  });
  expect_close(y.values(), expected(expected(input)));
}

// The application's own barriers, as nnvk says that they must be: the layers would complain.
TEST_F(RecordingTest, TheApplicationMayMakeTheBarriersItself) {
  const Compiled network(make_network(), device_);
  const NnvkVkRecordInfo info = info_of(network.compilation);
  Frame frame(*application_, device_, network.compilation);
  frame.input = numbers(kCount, 9);
  const HostBuffer readback(*application_, kBytes, VK_BUFFER_USAGE_TRANSFER_DST_BIT);
  frame.commands.run([&](VkCommandBuffer commands) {
    const auto barrier = [&](VkPipelineStageFlags from, VkAccessFlags written, VkPipelineStageFlags to, VkAccessFlags used) {
      auto memory = make<VkMemoryBarrier>(VK_STRUCTURE_TYPE_MEMORY_BARRIER);
      memory.srcAccessMask = written;
      memory.dstAccessMask = used;
      vkCmdPipelineBarrier(commands, from, to, 0, 1, &memory, 0, nullptr, 0, nullptr);
    };
    vkCmdUpdateBuffer(commands, frame.x.buffer->get(), 0, kBytes, frame.input.data());
    barrier(VK_PIPELINE_STAGE_TRANSFER_BIT, VK_ACCESS_TRANSFER_WRITE_BIT, info.firstStages, info.inputAccess);
    EXPECT_EQ(nnvk_vkRecord(frame.recording.get(), commands, 0), kOk);
    barrier(info.lastStages, info.outputAccess, VK_PIPELINE_STAGE_TRANSFER_BIT, VK_ACCESS_TRANSFER_READ_BIT);
    const VkBufferCopy all{0, 0, kBytes};
    vkCmdCopyBuffer(commands, frame.y.buffer->get(), readback.get(), 1, &all);
    barrier(VK_PIPELINE_STAGE_TRANSFER_BIT, VK_ACCESS_TRANSFER_WRITE_BIT, VK_PIPELINE_STAGE_HOST_BIT, VK_ACCESS_HOST_READ_BIT);
  });
  expect_close(readback.values<float>(), expected(frame.input));
}

// What the absence of complaints in all other tests is worth.
TEST_F(RecordingTest, TheLayersSeeABarrierThatIsMissing) {
  if (!application_->is_validated()) GTEST_SKIP() << "the validation layers are not installed";
  const Compiled network(make_network(), device_);
  Frame frame(*application_, device_, network.compilation);
  const HostBuffer readback(*application_, kBytes, VK_BUFFER_USAGE_TRANSFER_DST_BIT);
  const VkBufferCopy all{0, 0, kBytes};
  const auto copy_output = [&](VkCommandBuffer commands) {
    vkCmdCopyBuffer(commands, frame.y.buffer->get(), readback.get(), 1, &all);
  };
  frame.commands.run([&](VkCommandBuffer commands) {
    EXPECT_EQ(nnvk_vkRecord(frame.recording.get(), commands, kBothBarriers), kOk);
    copy_output(commands);
  });
  EXPECT_THAT(application_->take_complaints(), testing::IsEmpty());
  EXPECT_EQ(nnvk_vkResetRecording(frame.recording.get()), kOk);
  frame.commands.run([&](VkCommandBuffer commands) {
    EXPECT_EQ(nnvk_vkRecord(frame.recording.get(), commands, NNVK_VK_RECORD_INPUT_BARRIER), kOk);
    copy_output(commands);
  });
  EXPECT_THAT(application_->take_complaints(), testing::Contains(HasSubstr("SYNC-HAZARD-READ-AFTER-WRITE")));
}

TEST_F(RecordingTest, ARecordingIsRecordedOnceAtATime) {
  const Compiled network(make_network(), device_);
  Frame frame(*application_, device_, network.compilation);
  frame.fill(1);
  frame.commands.run([&](VkCommandBuffer commands) {
    EXPECT_EQ(nnvk_vkRecord(frame.recording.get(), commands, kBothBarriers), kOk);
    EXPECT_EQ(nnvk_vkRecord(frame.recording.get(), commands, kBothBarriers), kBadState);
  });
  EXPECT_EQ(nnvk_vkResetRecording(frame.recording.get()), kOk);
  frame.commands.run(
      [&](VkCommandBuffer commands) { EXPECT_EQ(nnvk_vkRecord(frame.recording.get(), commands, kBothBarriers), kOk); });
  frame.check();
}

TEST_F(RecordingTest, WhatTheHostReachesAloneIsRefused) {
  const Compiled network(make_network(), device_);
  const Tensor y(*application_, device_, NNVK_VK_ACCESS_WRITE);
  const std::vector<float> x = numbers(kCount, 1);
  const ExecutionPointer execution = make_execution(network.compilation, {x}, {{y.memory, 0, kBytes}});
  NnvkVkRecording* recording = nullptr;
  EXPECT_EQ(nnvk_vkCreateRecording(execution.get(), VK_NULL_HANDLE, 0, &recording), kBadData);
  EXPECT_THAT(nnvk_lastError(), HasSubstr("input 0 cannot be recorded"));
}

TEST_F(RecordingTest, ACompilationForAnotherDeviceIsNoneOfThisOne) {
  const Compiled network(make_network(), cpu_device());
  NnvkVkRecordInfo info{};
  info.structSize = sizeof info;
  EXPECT_EQ(nnvk_vkGetRecordInfo(network.compilation.get(), device_, &info), kBadData);
  EXPECT_THAT(nnvk_lastError(), HasSubstr("not made for"));
  std::vector<float> y(kCount);
  const std::vector<float> x = numbers(kCount, 1);
  const ExecutionPointer execution = make_execution(network.compilation, {x}, {y});
  NnvkVkRecording* recording = nullptr;
  EXPECT_EQ(nnvk_vkCreateRecording(execution.get(), VK_NULL_HANDLE, 0, &recording), kBadData);
}

TEST_F(RecordingTest, Misuse) {
  const Compiled network(make_network(), device_);
  Frame frame(*application_, device_, network.compilation);
  NnvkVkRecordInfo info{};
  info.structSize = sizeof info;
  EXPECT_EQ(nnvk_vkGetRecordInfo(nullptr, device_, &info), kNull);
  EXPECT_EQ(nnvk_vkGetRecordInfo(network.compilation.get(), nullptr, &info), kNull);
  EXPECT_EQ(nnvk_vkGetRecordInfo(network.compilation.get(), device_, nullptr), kNull);
  info.structSize = 3;
  EXPECT_EQ(nnvk_vkGetRecordInfo(network.compilation.get(), device_, &info), kBadData);
  info.structSize = sizeof info;
  auto* const not_imported = const_cast<ANeuralNetworksDevice*>(cpu_device());
  EXPECT_EQ(nnvk_vkGetRecordInfo(network.compilation.get(), not_imported, &info), kBadData);
  const CompilationPointer open = compile_for(network.model.get(), device_);
  EXPECT_EQ(nnvk_vkGetRecordInfo(open.get(), device_, &info), kBadState);

  EXPECT_EQ(nnvk_vkRecordPreparation(network.compilation.get(), device_, nullptr), kNull);
  EXPECT_EQ(nnvk_vkPreparationDone(nullptr, device_), kNull);
  EXPECT_EQ(nnvk_vkPreparationDone(network.compilation.get(), device_), kOk) << "nothing was pending";

  NnvkVkRecording* recording = nullptr;
  EXPECT_EQ(nnvk_vkCreateRecording(nullptr, VK_NULL_HANDLE, 0, &recording), kNull);
  const ExecutionPointer unbound = make_execution(network.compilation.get());
  EXPECT_EQ(nnvk_vkCreateRecording(unbound.get(), VK_NULL_HANDLE, 0, nullptr), kNull);
  EXPECT_EQ(nnvk_vkCreateRecording(unbound.get(), VK_NULL_HANDLE, 0, &recording), kBadData) << "nothing is set";

  const VkCommandBuffer commands = frame.commands.get();
  EXPECT_EQ(nnvk_vkRecord(nullptr, commands, 0), kNull);
  EXPECT_EQ(nnvk_vkRecord(frame.recording.get(), nullptr, 0), kNull);
  EXPECT_EQ(nnvk_vkRecord(frame.recording.get(), commands, 4), kBadData);
  EXPECT_EQ(nnvk_vkResetRecording(nullptr), kNull);
  EXPECT_EQ(nnvk_vkResetRecording(reinterpret_cast<NnvkVkRecording*>(&frame)), kBadData);
  nnvk_vkFreeRecording(nullptr);

  EXPECT_EQ(nnvk_vkReleaseDevice(device_), kBadState);
  EXPECT_THAT(nnvk_lastError(), HasSubstr("1 recording"));
}

TEST_F(RecordingTest, TheRecordingKeepsTheCompilation) {
  ModelBuilder model = make_network();
  CompilationPointer compilation = compiled_on(model.get(), device_);
  std::optional<Frame> frame;
  frame.emplace(*application_, device_, compilation);
  frame->fill(2);
  nnvk_muteFailedCalls(true);
  compilation.reset();  // too early: it stays, and the log says so
  nnvk_muteFailedCalls(false);
  frame->commands.run(
      [&](VkCommandBuffer commands) { EXPECT_EQ(nnvk_vkRecord(frame->recording.get(), commands, kBothBarriers), kOk); });
  frame->check();
}

}  // namespace
}  // namespace nnvk::test
