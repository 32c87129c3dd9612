// Preparations for sizes that a model leaves open: by nnvk's threads, by named shapes, and recordings that must not compile.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <nnvk/shapes.h>
#include <poll.h>
#include <unistd.h>

#include <array>
#include <chrono>
#include <thread>

#include "tests/api/descriptions.h"
#include "tests/api/recording/recorded_frames.h"

namespace nnvk::test {
namespace {

using testing::HasSubstr;

// An execution of make_network() without sizes, for pictures of this side.
ExecutionPointer execution_of_size(const CompilationPointer& compilation, const Tensor& x, const Tensor& y, uint32_t side,
                                   uint32_t height_of_output) {
  const auto bytes_of = [&](uint32_t height) { return size_t{height} * side * kChannels * sizeof(float); };
  const std::array<uint32_t, 4> from{1, side, side, kChannels};
  const std::array<uint32_t, 4> to{1, height_of_output, side, kChannels};
  const ANeuralNetworksOperandType input{kFloat, 4, from.data(), 0, 0};
  const ANeuralNetworksOperandType output{kFloat, 4, to.data(), 0, 0};
  ExecutionPointer execution = make_execution(compilation.get());
  EXPECT_EQ(ANeuralNetworksExecution_setInputFromMemory(execution.get(), 0, &input, x.memory.get(), 0, bytes_of(side)), kOk);
  EXPECT_EQ(
      ANeuralNetworksExecution_setOutputFromMemory(execution.get(), 0, &output, y.memory.get(), 0, bytes_of(height_of_output)),
      kOk);
  return execution;
}

// How often the compilation has made what a new shape needs.
uint64_t work_of(const CompilationPointer& compilation) {
  const auto counters = describe(compilation)["counters"];
  uint64_t sum = 0;
  for (const char* name : {"pipelines_created", "weights_packed", "recordings_built"}) sum += counters.at(name).get<uint64_t>();
  return sum;
}

NnvkShape picture_of(const std::array<uint32_t, 4>& dimensions) { return {4, dimensions.data()}; }

TEST_F(RecordingTest, ARecordingOfAPreparedSizeCompilesNothing) {
  const Compiled network(make_network({1, 0, 0, kChannels}), device_);
  Tensor x(*application_, device_, NNVK_VK_ACCESS_READ);
  Tensor y(*application_, device_, NNVK_VK_ACCESS_WRITE);
  const uint64_t at_first = work_of(network.compilation);
  for (const uint32_t side : {5U, kSide}) {
    const ExecutionPointer execution = execution_of_size(network.compilation, x, y, side, side);
    ANeuralNetworksEvent* event = nullptr;
    ASSERT_EQ(nnvk_vkPrepareRecording(execution.get(), &event), kOk) << nnvk_lastError();
    int fence = -1;
    EXPECT_EQ(ANeuralNetworksEvent_getSyncFenceFd(event, &fence), kOk);
    pollfd waiting{fence, POLLIN, 0};
    EXPECT_EQ(::poll(&waiting, 1, 60'000), 1) << "a render loop asks so";
    EXPECT_EQ(::poll(&waiting, 1, 0), 1);
    ::close(fence);
    EXPECT_EQ(ANeuralNetworksEvent_wait(event), kOk);
    ANeuralNetworksEvent_free(event);
    const uint64_t prepared = work_of(network.compilation);
    EXPECT_GT(prepared, at_first);
    NnvkVkRecording* made = nullptr;
    ASSERT_EQ(nnvk_vkCreateRecording(execution.get(), VK_NULL_HANDLE, 0, &made), kOk) << nnvk_lastError();
    const RecordingPointer recording(made);
    EXPECT_EQ(work_of(network.compilation), prepared);
    if (side != kSide) continue;
    const std::vector<float> input = numbers(kCount, 4);
    std::ranges::copy(input, x.values().begin());
    Commands commands(*application_);
    commands.run([&](VkCommandBuffer buffer) { EXPECT_EQ(nnvk_vkRecord(made, buffer, kBothBarriers), kOk); });
    expect_close(y.values(), expected(input));
  }
}

TEST_F(RecordingTest, APreparationOutlivesItsExecutionAndMemoriesAndHoldsItsCompilation) {
  for (int round = 0; round < 10; ++round) {
    Compiled network(make_network({1, 0, 0, kChannels}), device_);
    ANeuralNetworksEvent* event = nullptr;
    {
      const Tensor x(*application_, device_, NNVK_VK_ACCESS_READ);
      const Tensor y(*application_, device_, NNVK_VK_ACCESS_WRITE);
      const ExecutionPointer execution = execution_of_size(network.compilation, x, y, 3, 3);
      ASSERT_EQ(nnvk_vkPrepareRecording(execution.get(), &event), kOk) << nnvk_lastError();
    }
    if (round % 2 == 0) network.compilation.reset();  // waits for the preparation
    EXPECT_EQ(ANeuralNetworksEvent_wait(event), kOk);
    ANeuralNetworksEvent_free(event);
  }
}

TEST_F(RecordingTest, ASizeThatDoesNotFitIsAnErrorOfThePreparation) {
  const Compiled network(make_network({1, 0, 0, kChannels}), device_);
  const Tensor x(*application_, device_, NNVK_VK_ACCESS_READ);
  const Tensor y(*application_, device_, NNVK_VK_ACCESS_WRITE);
  const ExecutionPointer execution = execution_of_size(network.compilation, x, y, 5, 6);
  ANeuralNetworksEvent* event = nullptr;
  ASSERT_EQ(nnvk_vkPrepareRecording(execution.get(), &event), kOk) << nnvk_lastError();
  EXPECT_NE(ANeuralNetworksEvent_wait(event), kOk);
  EXPECT_THAT(nnvk_lastError(), HasSubstr("shape"));
  ANeuralNetworksEvent_free(event);
}

TEST_F(RecordingTest, NamedShapesAreReadyAfterFinish) {
  const ModelBuilder model = make_network({1, 0, 0, kChannels});
  const CompilationPointer compilation = compile_for(model.get(), device_);
  for (const std::array<uint32_t, 4>& named : {std::array{1U, 5U, 5U, kChannels}, std::array{0U, kSide, kSide, 0U}}) {
    const NnvkShape shape = picture_of(named);
    ASSERT_EQ(nnvk_Compilation_addInputShapes(compilation.get(), &shape, 1), kOk) << nnvk_lastError();
  }
  ASSERT_EQ(ANeuralNetworksCompilation_finish(compilation.get()), kOk) << nnvk_lastError();
  const uint64_t at_finish = work_of(compilation);
  EXPECT_GT(at_finish, 0U);
  const Tensor x(*application_, device_, NNVK_VK_ACCESS_READ);
  const Tensor y(*application_, device_, NNVK_VK_ACCESS_WRITE);
  const std::vector<float> input = numbers(kCount, 4);
  std::ranges::copy(input, x.values().begin());
  for (const uint32_t side : {5U, kSide}) {
    const ExecutionPointer execution = execution_of_size(compilation, x, y, side, side);
    NnvkVkRecording* made = nullptr;
    ASSERT_EQ(nnvk_vkCreateRecordingIfPrepared(execution.get(), VK_NULL_HANDLE, 0, &made), kOk) << nnvk_lastError();
    const RecordingPointer recording(made);
    EXPECT_EQ(work_of(compilation), at_finish);
    if (side != kSide) continue;
    Commands commands(*application_);
    commands.run([&](VkCommandBuffer buffer) { EXPECT_EQ(nnvk_vkRecord(made, buffer, kBothBarriers), kOk); });
    expect_close(y.values(), expected(input));
  }
  // Executions of which the client gives the output's shape, or leaves it open.
  const TypeOf type(kFloat, kDims);
  for (const auto* of_output : {type.get(), static_cast<const ANeuralNetworksOperandType*>(nullptr)}) {
    std::vector<float> result(kCount);
    EXPECT_EQ(compute(make_execution(compilation, {{input, type.get()}}, {{result, of_output}})), kOk) << nnvk_lastError();
    expect_close(result, expected(input));
  }
  EXPECT_EQ(work_of(compilation), at_finish);
  const ExecutionPointer other = execution_of_size(compilation, x, y, 7, 7);
  NnvkVkRecording* made = nullptr;
  ASSERT_EQ(nnvk_vkCreateRecording(other.get(), VK_NULL_HANDLE, 0, &made), kOk) << nnvk_lastError();
  const RecordingPointer recording(made);
  EXPECT_GT(work_of(compilation), at_finish) << "the counters count, and other shapes stay allowed";
}

// Tries as a render loop does, once per frame. Returns null if it fails for a minute.
RecordingPointer try_until_prepared(const ExecutionPointer& execution) {
  for (int frame = 0; frame < 6000; ++frame) {
    NnvkVkRecording* made = nullptr;
    const int result = nnvk_vkCreateRecordingIfPrepared(execution.get(), VK_NULL_HANDLE, 0, &made);
    if (result == kOk) return RecordingPointer(made);
    EXPECT_EQ(result, NNVK_NOT_PREPARED) << nnvk_lastError();
    EXPECT_EQ(made, nullptr);
    std::this_thread::sleep_for(std::chrono::milliseconds(10));
  }
  return nullptr;
}

class UnpreparedRecordingTest : public RecordingTest, public testing::WithParamInterface<bool> {
 protected:
  void SetUp() override {
    RecordingTest::SetUp();
    if (IsSkipped() || HasFatalFailure()) return;
    imported_ = application_->import({.with_cache_control = GetParam()});
    ASSERT_NE(imported_, nullptr);
    model_.emplace(make_network({1, 0, 0, kChannels}));
    compilation_ = compiled_on(model_->get(), imported_);
    x_.emplace(*application_, imported_, NNVK_VK_ACCESS_READ);
    y_.emplace(*application_, imported_, NNVK_VK_ACCESS_WRITE);
    execution_ = execution_of_size(compilation_, *x_, *y_, kSide, kSide);
    cache_only_ = vulkan_counts().cache_only;
  }
  void TearDown() override {
    set_pipeline_driver(PipelineDriver::kReal);
    execution_.reset();
    x_.reset();
    y_.reset();
    compilation_.reset();
    RecordingTest::TearDown();
  }
  void expect_results(NnvkVkRecording* recording) {
    const std::vector<float> input = numbers(kCount, 4);
    std::ranges::copy(input, x_->values().begin());
    Commands commands(*application_);
    commands.run([&](VkCommandBuffer buffer) { EXPECT_EQ(nnvk_vkRecord(recording, buffer, kBothBarriers), kOk); });
    expect_close(y_->values(), expected(input));
  }

  ANeuralNetworksDevice* imported_ = nullptr;
  std::optional<ModelBuilder> model_;
  CompilationPointer compilation_;
  std::optional<Tensor> x_;
  std::optional<Tensor> y_;
  ExecutionPointer execution_;
  uint64_t cache_only_ = 0;
};

INSTANTIATE_TEST_SUITE_P(CacheControl, UnpreparedRecordingTest, testing::Bool(),
                         [](const auto& info) { return info.param ? "On" : "Off"; });

TEST_P(UnpreparedRecordingTest, ARenderThreadNeverCompiles) {
  set_pipeline_driver(PipelineDriver::kCachesNothing);
  NnvkVkRecording* made = nullptr;
  EXPECT_EQ(nnvk_vkCreateRecordingIfPrepared(execution_.get(), VK_NULL_HANDLE, 0, &made), NNVK_NOT_PREPARED);
  EXPECT_EQ(made, nullptr);
  EXPECT_THAT(nnvk_lastError(), HasSubstr("nnvk_vkPrepareRecording"));
  EXPECT_EQ(work_of(compilation_), 0U);
  EXPECT_EQ(vulkan_counts().cache_only, cache_only_ + (GetParam() ? 1 : 0)) << "the driver is asked only if it knows the flag";

  ANeuralNetworksEvent* event = nullptr;
  ASSERT_EQ(nnvk_vkPrepareRecording(execution_.get(), &event), kOk) << nnvk_lastError();
  const RecordingPointer recording = try_until_prepared(execution_);
  ASSERT_NE(recording, nullptr);
  EXPECT_EQ(ANeuralNetworksEvent_wait(event), kOk);
  ANeuralNetworksEvent_free(event);
  expect_results(recording.get());
}

TEST_P(UnpreparedRecordingTest, PipelinesOfTheDriversCacheAreNotCompiled) {
  set_pipeline_driver(PipelineDriver::kCachesAll);
  if (!GetParam()) {
    NnvkVkRecording* made = nullptr;
    EXPECT_EQ(nnvk_vkCreateRecordingIfPrepared(execution_.get(), VK_NULL_HANDLE, 0, &made), NNVK_NOT_PREPARED);
    EXPECT_EQ(vulkan_counts().cache_only, cache_only_);
    return;
  }
  const RecordingPointer recording = try_until_prepared(execution_);
  ASSERT_NE(recording, nullptr);
  EXPECT_GT(vulkan_counts().cache_only, cache_only_ + 1);
  expect_results(recording.get());
}

TEST_P(UnpreparedRecordingTest, TheRealDriverAnswersUnderTheLayers) {
  NnvkVkRecording* made = nullptr;
  const int result = nnvk_vkCreateRecordingIfPrepared(execution_.get(), VK_NULL_HANDLE, 0, &made);
  const RecordingPointer recording(made);
  EXPECT_TRUE(result == NNVK_NOT_PREPARED || result == kOk) << nnvk_lastError();
  EXPECT_THAT(application_->take_complaints(), testing::IsEmpty());
}

TEST_P(UnpreparedRecordingTest, ARenderThreadDoesNotWaitForAThreadThatCompiles) {
  set_pipeline_driver(PipelineDriver::kHangs);
  ANeuralNetworksEvent* event = nullptr;
  ASSERT_EQ(nnvk_vkPrepareRecording(execution_.get(), &event), kOk) << nnvk_lastError();
  NnvkVkRecording* made = nullptr;
  EXPECT_EQ(nnvk_vkCreateRecordingIfPrepared(execution_.get(), VK_NULL_HANDLE, 0, &made), NNVK_NOT_PREPARED);
  EXPECT_EQ(made, nullptr);
  set_pipeline_driver(PipelineDriver::kReal);
  EXPECT_EQ(ANeuralNetworksEvent_wait(event), kOk);
  ANeuralNetworksEvent_free(event);
  ASSERT_EQ(nnvk_vkCreateRecordingIfPrepared(execution_.get(), VK_NULL_HANDLE, 0, &made), kOk) << nnvk_lastError();
  const RecordingPointer recording(made);
  expect_results(recording.get());
}

TEST_F(RecordingTest, UnpreparedMisuse) {
  const Compiled network(make_network(), device_);
  NnvkVkRecording* made = nullptr;
  EXPECT_EQ(nnvk_vkCreateRecordingIfPrepared(nullptr, VK_NULL_HANDLE, 0, &made), kNull);
  const ExecutionPointer unbound = make_execution(network.compilation.get());
  EXPECT_EQ(nnvk_vkCreateRecordingIfPrepared(unbound.get(), VK_NULL_HANDLE, 0, nullptr), kNull);
  EXPECT_EQ(nnvk_vkCreateRecordingIfPrepared(unbound.get(), VK_NULL_HANDLE, 0, &made), kBadData) << "nothing is set";
  const Tensor x(*application_, device_, NNVK_VK_ACCESS_READ);
  const Tensor y(*application_, device_, NNVK_VK_ACCESS_WRITE);
  const ExecutionPointer execution = make_execution(network.compilation, {{x.memory, 0, kBytes}}, {{y.memory, 0, kBytes}});
  const NnvkVkRecordInfo info = info_of(network.compilation);
  const HostBuffer scratch(*application_, info.scratchSize, info.scratchUsage);
  EXPECT_EQ(nnvk_vkCreateRecordingIfPrepared(execution.get(), scratch.get(), 1, &made), kBadData) << "a crooked offset";
  EXPECT_EQ(made, nullptr);
  ASSERT_EQ(nnvk_vkCreateRecordingIfPrepared(execution.get(), scratch.get(), 0, &made), kOk) << "finish() has prepared it";
  const RecordingPointer recording(made);
}

}  // namespace
}  // namespace nnvk::test
