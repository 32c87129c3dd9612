// Executions on the first Vulkan device of this machine, against the CPU reference.
#include <gtest/gtest.h>

#include <algorithm>
#include <chrono>
#include <future>
#include <thread>

#include "network.h"
#include "vulkan/context/instance.h"

namespace nnvk::vulkan {
namespace {

using namespace network;

// Every way to run that a device plan may choose.
struct Path {
  const char* name;
  DiscoveryOptions options;
};

class PreparedPlanTest : public testing::TestWithParam<Path> {
 protected:
  void SetUp() override {
    messages_before_ = validation_message_count();
    device_ = first_device(GetParam().options);
    if (!device_) GTEST_SKIP() << "no Vulkan device on this machine";
  }
  void TearDown() override {
    device_.reset();
    EXPECT_EQ(validation_message_count(), messages_before_) << "the validation layers complained, see the log";
  }
  std::unique_ptr<PreparedPlan> prepare(const std::shared_ptr<const Plan>& plan) {
    auto prepared = device_->prepare(plan, {});
    if (!prepared) {
      ADD_FAILURE() << prepared.error().message;
      return nullptr;
    }
    return std::move(*prepared);
  }
  bool stages() const { return GetParam().options.force_staging; }

  std::unique_ptr<Device> device_;
  uint64_t messages_before_ = 0;
};

INSTANTIATE_TEST_SUITE_P(Paths, PreparedPlanTest,
                         testing::Values(Path{"Default", {}}, Path{"Words", {.force_words_variant = true, .host_evaluator = {}}},
                                         Path{"Staging", {.force_staging = true, .host_evaluator = {}}},
                                         Path{"Fences", {.force_fence_completion = true, .host_evaluator = {}}},
                                         Path{"ManySubmissions", {.force_many_submissions = true, .host_evaluator = {}}}),
                         [](const auto& info) { return info.param.name; });

const Shape kShape{1, 5, 7, 4};

TEST_P(PreparedPlanTest, ANetworkGivesTheReferencesResult) {
  const auto plan = residual_network(kShape);
  const auto prepared = prepare(plan);
  ASSERT_TRUE(prepared);
  Inference run(kShape, 1);
  ASSERT_TRUE(run.execute(*prepared));
  expect_close(run.out, expected(plan, run));
  ASSERT_EQ(run.report->outputs.size(), 1U);
  EXPECT_EQ(run.report->outputs[0].shape, kShape);
}

TEST_P(PreparedPlanTest, LaterExecutionsCreateNothingAndCopyOnlyInputsAndOutputs) {
  const auto prepared = prepare(residual_network(kShape));
  ASSERT_TRUE(prepared);
  Inference run(kShape, 1);
  const Counters after_prepare = prepared->counters();
  EXPECT_GT(after_prepare.at("device_allocations"), 0U);
  EXPECT_EQ(after_prepare.at("executions"), 0U);
  for (int i = 0; i < 3; ++i) ASSERT_TRUE(run.execute(*prepared));
  const Counters after = prepared->counters();
  for (const char* name : {"pipelines_created", "command_buffers_recorded", "device_allocations", "descriptor_sets_written",
                           "bytes_uploaded", "recordings_built"}) {
    EXPECT_EQ(after.at(name), after_prepare.at(name)) << name;
  }
  const uint64_t bytes = kShape.element_count() * sizeof(float);
  EXPECT_EQ(after.at("bytes_copied_in"), 3 * bytes);
  EXPECT_EQ(after.at("bytes_copied_out"), 3 * bytes);
  EXPECT_EQ(after.at("executions"), 3U);
  if (stages()) {
    EXPECT_GE(after.at("bytes_copied_internal"), 6 * bytes);
  } else {
    EXPECT_EQ(after.at("bytes_copied_internal"), 0U);
  }
}

TEST_P(PreparedPlanTest, SixteenThreadsGetTheirOwnResults) {
  const auto plan = residual_network(kShape, 4);
  const auto prepared = prepare(plan);
  ASSERT_TRUE(prepared);
  std::vector<Inference> runs;
  std::vector<std::vector<float>> wanted;
  for (uint32_t t = 0; t < 16; ++t) {
    runs.emplace_back(kShape, t + 100);
    wanted.push_back(expected(plan, runs.back()));
  }
  std::vector<std::thread> threads;
  for (size_t t = 0; t < runs.size(); ++t) {
    threads.emplace_back([&, t] {
      for (int i = 0; i < 20; ++i) {
        std::fill(runs[t].out.begin(), runs[t].out.end(), -99.0F);
        if (!runs[t].execute(*prepared)) return;
        expect_close(runs[t].out, wanted[t]);
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
  EXPECT_EQ(prepared->counters().at("executions"), 320U);
  EXPECT_EQ(prepared->counters().at("recordings_built"), 1U);
}

TEST_P(PreparedPlanTest, ManySubmissionsQueueWithoutBlockingTheSubmitter) {
  const auto plan = residual_network(kShape, 2);
  const auto prepared = prepare(plan);
  ASSERT_TRUE(prepared);
  std::vector<Inference> runs(40, Inference(kShape, 5));
  const std::vector<float> wanted = expected(plan, runs[0]);
  std::vector<Submission> submissions;
  for (Inference& run : runs) {
    auto submission = run.submit(*prepared);
    ASSERT_TRUE(submission) << submission.error().message;
    submissions.push_back(std::move(*submission));
  }
  for (const Submission& submission : submissions) ASSERT_TRUE(submission.done.wait());
  for (const Inference& run : runs) expect_close(run.out, wanted);
}

TEST_P(PreparedPlanTest, UnknownShapesAreRecordedOncePerShape) {
  const auto plan = residual_network(Shape{kUnknownDimension, kUnknownDimension, kUnknownDimension, 4});
  const auto prepared = prepare(plan);
  ASSERT_TRUE(prepared);
  EXPECT_EQ(prepared->counters().at("recordings_built"), 0U);
  for (int round = 0; round < 2; ++round) {
    for (const Shape& shape : {Shape{1, 2, 3, 4}, Shape{2, 9, 1, 4}, Shape{1, 16, 16, 4}}) {
      Inference run(shape, 3);
      ASSERT_TRUE(run.execute(*prepared)) << shape.to_string();
      expect_close(run.out, expected(plan, run));
    }
  }
  EXPECT_EQ(prepared->counters().at("recordings_built"), 3U);
}

TEST_P(PreparedPlanTest, MoreShapesThanTheCacheHoldsStillWork) {
  const auto plan = residual_network(Shape{1, 1, kUnknownDimension, 4});
  const auto prepared = prepare(plan);
  ASSERT_TRUE(prepared);
  for (uint32_t width = 1; width <= 12; ++width) {
    Inference run(Shape{1, 1, width, 4}, width);
    ASSERT_TRUE(run.execute(*prepared));
    expect_close(run.out, expected(plan, run));
  }
  Inference newest(Shape{1, 1, 12, 4}, 1);
  ASSERT_TRUE(newest.execute(*prepared));
  EXPECT_EQ(prepared->counters().at("recordings_built"), 12U);
  Inference oldest(Shape{1, 1, 1, 4}, 1);
  ASSERT_TRUE(oldest.execute(*prepared));
  EXPECT_EQ(prepared->counters().at("recordings_built"), 13U);
}

TEST_P(PreparedPlanTest, OutputBuffersThatAreTooSmallAreReportedWithTheShape) {
  const auto prepared = prepare(residual_network(kShape));
  ASSERT_TRUE(prepared);
  Inference run(kShape, 1);
  run.out.resize(3);
  const auto submission = run.submit(*prepared);
  ASSERT_TRUE(submission);
  const Status result = submission->done.wait();
  ASSERT_FALSE(result);
  EXPECT_EQ(result.error().code, Code::kOutputInsufficientSize);
  ASSERT_EQ(submission->report->outputs.size(), 1U);
  EXPECT_FALSE(submission->report->outputs[0].sufficient);
  EXPECT_EQ(submission->report->outputs[0].shape, kShape);
}

TEST_P(PreparedPlanTest, BadRequestsAreRefusedAtOnce) {
  const auto prepared = prepare(residual_network(kShape));
  ASSERT_TRUE(prepared);
  Inference short_input(kShape, 1);
  short_input.in.resize(3);
  const auto refused = short_input.submit(*prepared);
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().code, Code::kBadData);
  EXPECT_NE(refused.error().text().find("input 0"), std::string::npos) << refused.error().text();

  EXPECT_FALSE(prepared->submit(Request{}));

  Inference late(kShape, 1);
  late.request.deadline = std::chrono::steady_clock::now() - std::chrono::seconds(1);
  const auto missed = late.submit(*prepared);
  ASSERT_FALSE(missed);
  EXPECT_EQ(missed.error().code, Code::kMissedDeadlinePersistent);
}

TEST_P(PreparedPlanTest, AnOmittedInputMayBeDeclaredWithAnyShape) {
  PlanMaker m;
  const TensorId x = m.input({1, 2});
  const TensorId features = m.constant<float>(OperandType::kTensorFloat32, {2, 2}, {1, 0, 0, 1});
  const TensorId times = m.constant<float>(OperandType::kTensorFloat32, {2, 1}, {2, 3});
  const TensorId bias = m.input({7});  // one for each of two units would fit
  const TensorId state = m.constant<float>(OperandType::kTensorFloat32, {1, 2}, {0, 0});
  const TensorId new_state = m.output({1, 2});
  const TensorId y = m.output({1, 2});
  m.node(OperationCode::kSvdf, {x, features, times, bias, state, m.scalar(1), m.scalar(0)}, {new_state, y});
  const auto prepared = prepare(m.finish());
  ASSERT_TRUE(prepared);

  std::vector<float> in = {5, 7};
  std::vector<float> state_out(2);
  std::vector<float> out(2);
  std::vector<Binding> inputs = {bind(in, {1, 2}), Binding{}};
  inputs[1].omitted = true;
  const Binding outputs[] = {bind(state_out, {1, 2}), bind(out, {1, 2})};
  Request request;
  request.inputs = inputs;
  request.outputs = outputs;
  const auto submission = prepared->submit(request);
  ASSERT_TRUE(submission) << submission.error().message;
  ASSERT_TRUE(submission->done.wait());
  expect_close(out, {10, 21});
}

TEST_P(PreparedPlanTest, DurationsAreMeasuredOnRequest) {
  const auto prepared = prepare(residual_network(Shape{1, 64, 64, 4}, 4));
  ASSERT_TRUE(prepared);
  Inference plain(Shape{1, 64, 64, 4}, 1);
  ASSERT_TRUE(plain.execute(*prepared));
  EXPECT_EQ(plain.report->driver_nanoseconds, kNoDuration);
  EXPECT_EQ(plain.report->hardware_nanoseconds, kNoDuration);
  Inference timed(Shape{1, 64, 64, 4}, 1);
  timed.request.measure_timing = true;
  ASSERT_TRUE(timed.execute(*prepared));
  EXPECT_NE(timed.report->driver_nanoseconds, kNoDuration);
  EXPECT_NE(timed.report->hardware_nanoseconds, kNoDuration);
  EXPECT_GT(timed.report->hardware_nanoseconds, 0U);
  EXPECT_LE(timed.report->hardware_nanoseconds, timed.report->driver_nanoseconds);
}

// Heavy and light nodes alternate: every heavy one must take longer than every light one, or times belong to the wrong dispatch.
TEST_P(PreparedPlanTest, ProfilesGiveTheTimeToTheNodeThatTakesIt) {
  PlanMaker m;
  const Shape light{1, 1, 1, 4};
  const Shape heavy{1, 192, 192, 4};
  TensorId last = m.input(light);
  const TensorId image = m.random(heavy, 4);
  const TensorId none = m.scalar(0);
  for (int i = 0; i < 3; ++i) {
    const TensorId spread = m.temporary(heavy);
    m.node(OperationCode::kAdd, {image, last, none}, {spread});  // heavy: broadcasts over the image
    const TensorId begin = m.constant<int32_t>(OperandType::kTensorInt32, Shape{4}, {0, 0, 0, 0});
    const TensorId size = m.constant<int32_t>(OperandType::kTensorInt32, Shape{4}, {1, 1, 1, 4});
    const TensorId next = i == 2 ? m.output(light) : m.temporary(light);
    m.node(OperationCode::kSlice, {spread, begin, size}, {next});  // light: one pixel
    last = next;
  }
  const auto prepared = prepare(m.finish());
  ASSERT_TRUE(prepared);
  std::vector<uint64_t> least(6, UINT64_MAX);
  for (int attempt = 0; attempt < 10; ++attempt) {  // the shortest of several: other work on the machine only adds
    Inference run(light, 1);
    run.request.profile = true;
    ASSERT_TRUE(run.execute(*prepared));
    ASSERT_EQ(run.report->profile.size(), 6U);
    for (size_t n = 0; n < 6; ++n) {
      const NodeProfile& node = run.report->profile[n];
      EXPECT_EQ(node.source_operation, n);
      EXPECT_EQ(node.operation, n % 2 == 0 ? "ADD" : "SLICE");
      EXPECT_FALSE(node.kernel.empty());
      EXPECT_GT(node.bytes, 0U);
      least[n] = std::min(least[n], node.nanoseconds);
    }
  }
  const uint64_t least_heavy = std::min({least[0], least[2], least[4]});
  const uint64_t most_light = std::max({least[1], least[3], least[5]});
  EXPECT_GT(least_heavy, most_light) << least[0] << ' ' << least[1] << ' ' << least[2] << ' ' << least[3] << ' ' << least[4]
                                     << ' ' << least[5];
}

TEST_P(PreparedPlanTest, DestroyingAPlanWaitsForItsExecutions) {
  const auto plan = residual_network(kShape, 8);
  auto prepared = prepare(plan);
  ASSERT_TRUE(prepared);
  std::vector<Inference> runs(12, Inference(kShape, 2));
  std::vector<Submission> submissions;
  for (Inference& run : runs) submissions.push_back(*run.submit(*prepared));
  prepared.reset();
  for (Inference& run : runs) EXPECT_NE(run.out[0], -99.0F);  // written before the plan was gone
  for (const Submission& submission : submissions) EXPECT_TRUE(submission.done.wait());
}

TEST_P(PreparedPlanTest, ThePlanMayGoInACompletionCallback) {
  const Shape shape{1, 64, 64, 4};  // runs for a while: the callback is there first
  auto prepared = prepare(residual_network(shape, 8));
  ASSERT_TRUE(prepared);
  Inference run(shape, 2);
  const auto submission = run.submit(*prepared);
  ASSERT_TRUE(submission);
  const auto gone = std::make_shared<std::promise<void>>();
  submission->done.on_settled([&, gone](const Status&) {
    prepared.reset();
    gone->set_value();
  });
  gone->get_future().wait();
  EXPECT_TRUE(submission->done.result());
}

}  // namespace
}  // namespace nnvk::vulkan
