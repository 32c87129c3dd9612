// Executions recorded into an application's command buffers over the C API: results, the cost of recording, and refused calls.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <nnvk/diagnostics.h>

#include <array>
#include <cmath>
#include <optional>

#include "tests/api/recording/recorded_frames.h"

namespace nnvk::test {
namespace {

using testing::HasSubstr;

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

TEST_F(RecordingTest, RecordingTakesNoMemoryAndNoLock) {
  if (!kHeapCanBeWatched) GTEST_SKIP() << "the sanitizer has hooks of its own";
  const Compiled network(make_network(), device_);
  std::array<std::optional<Frame>, 2> frames;
  for (auto& frame : frames) frame.emplace(*application_, device_, network.compilation);
  expect_recording_takes_nothing(frames);
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

// Without a queue nnvk submits nothing at all; the application copies the weights to the device.
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
  // The end overflows, or lies beyond any buffer.
  for (const VkDeviceSize offset : {VkDeviceSize{0} - 256, VkDeviceSize{1} << 63}) {
    EXPECT_EQ(nnvk_vkCreateRecording(execution.get(), scratch.get(), offset, &made), kBadData);
    EXPECT_THAT(nnvk_lastError(), HasSubstr("scratch memory begins at " + std::to_string(offset)));
  }
  EXPECT_EQ(made, nullptr);
}

// Kernels cannot use these offsets: the device copies, with barriers of its own.
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

// Two recordings in one command buffer share scratch memory; the second reads the output of the first.
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

// The application records the barriers that nnvk requires; the validation layers would report a missing one.
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

// Proves that the validation layers would report a missing barrier in the other tests.
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

TEST_F(RecordingTest, SlicesOverSeveralFramesGiveTheSameResult) {
  const Compiled network(make_network(), device_);
  const uint32_t dispatches = info_of(network.compilation).dispatchCount;
  Frame frame(*application_, device_, network.compilation);
  Tensor other(*application_, device_, NNVK_VK_ACCESS_WRITE);
  for (const uint32_t microseconds : {0U, 1U, 1'000'000U}) {
    frame.fill(microseconds + 1);
    uint32_t remaining = 1;
    uint32_t slices = 0;
    uint32_t before = UINT32_MAX;
    while (remaining > 0) {
      frame.commands.run([&](VkCommandBuffer commands) {
        ASSERT_EQ(nnvk_vkRecordSlice(frame.recording.get(), commands, kBothBarriers, microseconds, &remaining), kOk);
        vkCmdFillBuffer(commands, other.buffer->get(), 0, VK_WHOLE_SIZE, slices);  // the frame's own work
      });
      EXPECT_LE(remaining, before);
      before = remaining;
      ++slices;
      if (remaining == 0) break;
      frame.commands.run([&](VkCommandBuffer commands) {
        EXPECT_EQ(nnvk_vkRecord(frame.recording.get(), commands, 0), ANEURALNETWORKS_BAD_STATE) << "between slices";
      });
    }
    EXPECT_LE(slices, dispatches);
    if (microseconds != 1) {
      EXPECT_EQ(slices, microseconds == 0 ? dispatches : 1U);
    }
    frame.check();
    frame.commands.run([&](VkCommandBuffer commands) {
      EXPECT_EQ(nnvk_vkRecordSlice(frame.recording.get(), commands, 0, 0, &remaining), ANEURALNETWORKS_BAD_STATE);
    });
    EXPECT_EQ(nnvk_vkResetRecording(frame.recording.get()), kOk);
  }
}

TEST_F(RecordingTest, AResetEndsSlicesThatAreMissing) {
  const Compiled network(make_network(), device_);
  Frame frame(*application_, device_, network.compilation);
  uint32_t remaining = 0;
  frame.commands.run(
      [&](VkCommandBuffer commands) { EXPECT_EQ(nnvk_vkRecordSlice(frame.recording.get(), commands, 0, 0, &remaining), kOk); });
  EXPECT_GT(remaining, 0U);
  EXPECT_EQ(nnvk_vkResetRecording(frame.recording.get()), kOk);
  frame.fill(3);
  frame.commands.run(
      [&](VkCommandBuffer commands) { EXPECT_EQ(nnvk_vkRecord(frame.recording.get(), commands, kBothBarriers), kOk); });
  frame.check();
}

TEST_F(RecordingTest, RecordingSlicesTakesNoMemoryAndNoLock) {
  if (!kHeapCanBeWatched) GTEST_SKIP() << "the sanitizer has hooks of its own";
  const Compiled network(make_network(), device_);
  Frame frame(*application_, device_, network.compilation);
  HeapCounts counts;
  uint32_t remaining = 1;
  while (remaining > 0) {
    const VkCommandBuffer commands = frame.commands.begin();
    {
      const HeapWatch watch;
      ASSERT_EQ(nnvk_vkRecordSlice(frame.recording.get(), commands, kBothBarriers, 0, &remaining), kOk);
      counts = watch.counts();
    }
    frame.commands.submit();
    frame.commands.wait();
    EXPECT_EQ(counts.allocations + counts.frees + counts.locks, 0U);
  }
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
  ANeuralNetworksEvent* event = nullptr;
  EXPECT_EQ(nnvk_vkPrepareRecording(nullptr, &event), kNull);
  EXPECT_EQ(nnvk_vkPrepareRecording(unbound.get(), nullptr), kNull);
  EXPECT_EQ(nnvk_vkPrepareRecording(unbound.get(), &event), kBadData) << "nothing is set";
  EXPECT_EQ(event, nullptr);

  const VkCommandBuffer commands = frame.commands.get();
  EXPECT_EQ(nnvk_vkRecord(nullptr, commands, 0), kNull);
  EXPECT_EQ(nnvk_vkRecord(frame.recording.get(), nullptr, 0), kNull);
  EXPECT_EQ(nnvk_vkRecord(frame.recording.get(), commands, 4), kBadData);
  uint32_t remaining = 0;
  EXPECT_EQ(nnvk_vkRecordSlice(nullptr, commands, 0, 1, &remaining), kNull);
  EXPECT_EQ(nnvk_vkRecordSlice(frame.recording.get(), nullptr, 0, 1, &remaining), kNull);
  EXPECT_EQ(nnvk_vkRecordSlice(frame.recording.get(), commands, 0, 1, nullptr), kNull);
  EXPECT_EQ(nnvk_vkRecordSlice(frame.recording.get(), commands, 4, 1, &remaining), kBadData);
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
  compilation.reset();  // too early: the library keeps it and logs an error
  nnvk_muteFailedCalls(false);
  frame->commands.run(
      [&](VkCommandBuffer commands) { EXPECT_EQ(nnvk_vkRecord(frame->recording.get(), commands, kBothBarriers), kOk); });
  frame->check();
}

}  // namespace
}  // namespace nnvk::test
