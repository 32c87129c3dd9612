// IF, WHILE and sizes that depend on data on real devices: Vulkan on every path, and the CPU device.
#include "core/runtime/segmented_plan.h"

#include <gtest/gtest.h>

#include <cstring>

#include "network.h"
#include "tests/support/whole_plan.h"

namespace nnvk::vulkan {
namespace {

using namespace test;

// A constant of one element.
TensorId integer(PlanFixture& m, int32_t value) { return m.constant<int32_t>({1}, OperandType::kTensorInt32, {value}); }
TensorId real(PlanFixture& m, float value) { return m.constant<float>({1}, OperandType::kTensorFloat32, {value}); }

// (x, counter, limit) -> counter < limit.
std::shared_ptr<const Plan> counter_is_below(const Shape& shape) {
  PlanFixture m;
  m.input(shape);
  const TensorId counter = m.input({1}, OperandType::kTensorInt32);
  const TensorId limit = m.input({1}, OperandType::kTensorInt32);
  const TensorId below = m.output({1}, OperandType::kTensorBool8);
  m.node(OperationCode::kLess, {counter, limit}, {below});
  return m.plan();
}

// (x, counter, limit) -> (x + 1 or x with a 1 appended, counter + 1).
std::shared_ptr<const Plan> count_up(const Shape& shape, bool append) {
  PlanFixture m;
  const TensorId x = m.input(shape);
  const TensorId counter = m.input({1}, OperandType::kTensorInt32);
  m.input({1}, OperandType::kTensorInt32);
  const TensorId next_x = m.output(shape);
  const TensorId next_counter = m.output({1}, OperandType::kTensorInt32);
  m.node(append ? OperationCode::kConcatenation : OperationCode::kAdd, {x, real(m, 1), m.scalar(0)}, {next_x});
  m.node(OperationCode::kAdd, {counter, integer(m, 1), m.scalar(0)}, {next_counter});
  return m.plan();
}

// while (counter < limit) (x, counter) = body(x, counter, limit), from counter 0 on.
void add_loop(PlanFixture& m, const Shape& shape, std::shared_ptr<const Plan> body, TensorId x, TensorId limit, TensorId y) {
  const TensorId start = integer(m, 0);
  const TensorId condition = m.model(counter_is_below(shape));
  m.node(OperationCode::kWhile, {condition, m.model(std::move(body)), x, start, limit}, {y});
}

// (x, limit) -> x after `limit` times count_up. With `straight_part`, a TANH of x precedes the loop.
std::shared_ptr<const Plan> loop(const Shape& shape, bool append, bool straight_part = false) {
  PlanFixture m;
  TensorId x = m.input(shape);
  const TensorId limit = m.input({1}, OperandType::kTensorInt32);
  const TensorId y = m.output(shape);
  if (straight_part) {
    const TensorId before = m.temporary(shape);
    m.node(OperationCode::kTanh, {x}, {before});
    x = before;
  }
  add_loop(m, shape, count_up(shape, append), x, limit, y);
  return m.plan();
}

struct Result {
  Status status;
  std::vector<float> values;
  Shape shape;
};

class SegmentedPlanTest : public OnEveryPath {
 protected:
  std::unique_ptr<PreparedPlan> prepare(const std::shared_ptr<const Plan>& plan) {
    auto prepared = test::prepare_whole(*device_, plan, cpu::reference_evaluator());
    if (!prepared) ADD_FAILURE() << prepared.error().message;
    return prepared ? std::move(*prepared) : nullptr;
  }
  // Runs with float input 0, int32 input 1; output 0 has room for `room` floats.
  static Result run(PreparedPlan& prepared, std::vector<float> x, int32_t number, size_t room, bool may_run_inline = true,
                    std::chrono::nanoseconds loop_timeout = std::chrono::seconds(60),
                    std::optional<std::chrono::steady_clock::time_point> deadline = {}) {
    Result result;
    result.values.assign(room, -99.0F);
    std::vector<Binding> inputs(2);
    inputs[0] = bind(x, Shape{static_cast<uint32_t>(x.size())});
    inputs[1].data = reinterpret_cast<std::byte*>(&number);
    inputs[1].size = sizeof number;
    inputs[1].shape = Shape{1};
    std::vector<Binding> outputs{bind(result.values, Shape::unknown_rank())};
    Request request;
    request.inputs = inputs;
    request.outputs = outputs;
    request.may_run_inline = may_run_inline;
    request.loop_timeout = loop_timeout;
    request.deadline = deadline;
    const auto submission = prepared.submit(request);
    if (!submission) {
      result.status = fail(submission.error());
      return result;
    }
    result.status = submission->done.wait();
    if (!submission->report->outputs.empty()) result.shape = submission->report->outputs[0].shape;
    return result;
  }
};

INSTANTIATE_TEST_SUITE_P(Devices, SegmentedPlanTest,
                         testing::Values(Path{"Cpu", {}, true}, Path{"Vulkan", {}},
                                         Path{"VulkanWords", {.variant = KernelVariant::kWords}},
                                         Path{"VulkanStaging", {.force_staging = true}},
                                         Path{"VulkanFences", {.force_fence_completion = true}}),
                         name_of_path);

TEST_P(SegmentedPlanTest, ALoopRunsAsOftenAsItsConditionSays) {
  const auto prepared = prepare(loop({3}, false, true));
  ASSERT_TRUE(prepared);
  for (const int32_t times : {0, 1, 7}) {
    for (const bool may_run_inline : {true, false}) {
      const Result result = run(*prepared, {0.0F, 0.0F, 0.0F}, times, 3, may_run_inline);
      ASSERT_TRUE(result.status) << result.status.error().message;
      EXPECT_EQ(result.values, std::vector<float>(3, static_cast<float>(times)));
      EXPECT_EQ(result.shape, Shape{3});
    }
  }
}

TEST_P(SegmentedPlanTest, StateMayGrowFromIterationToIteration) {
  const auto prepared = prepare(loop({kUnknownDimension}, true));
  ASSERT_TRUE(prepared);
  const Result result = run(*prepared, {5.0F}, 3, 4);
  ASSERT_TRUE(result.status) << result.status.error().message;
  EXPECT_EQ(result.values, (std::vector<float>{5.0F, 1.0F, 1.0F, 1.0F}));
  EXPECT_EQ(result.shape, Shape{4});
}

TEST_P(SegmentedPlanTest, ABufferThatIsTooSmallIsToldTheSize) {
  const auto prepared = prepare(loop({kUnknownDimension}, true));
  ASSERT_TRUE(prepared);
  const Result result = run(*prepared, {5.0F}, 3, 2);
  ASSERT_FALSE(result.status);
  EXPECT_EQ(result.status.error().code, Code::kOutputInsufficientSize);
  EXPECT_EQ(result.shape, Shape{4});
  EXPECT_EQ(result.values, (std::vector<float>{-99.0F, -99.0F}));
}

TEST_P(SegmentedPlanTest, ALoopThatNeverEndsIsStoppedAndTheNextExecutionRuns) {
  const auto prepared = prepare(loop({2}, false));
  ASSERT_TRUE(prepared);
  const Result endless = run(*prepared, {0.0F, 0.0F}, INT32_MAX, 2, true, std::chrono::milliseconds(20));
  ASSERT_FALSE(endless.status);
  EXPECT_EQ(endless.status.error().code, Code::kMissedDeadlineTransient);
  EXPECT_TRUE(run(*prepared, {0.0F, 0.0F}, 2, 2).status);
}

TEST_P(SegmentedPlanTest, TheEarlierOfDeadlineAndLoopTimeoutEndsALoop) {
  const auto prepared = prepare(loop({2}, false));
  ASSERT_TRUE(prepared);
  const auto run_until = [&](auto deadline, auto loop_timeout) {
    return run(*prepared, {0.0F, 0.0F}, INT32_MAX, 2, true, loop_timeout, std::chrono::steady_clock::now() + deadline).status;
  };
  const Status late = run_until(std::chrono::milliseconds(200), std::chrono::seconds(60));
  ASSERT_FALSE(late);
  EXPECT_EQ(late.error().code, Code::kMissedDeadlineTransient);  // it had begun
  EXPECT_NE(late.error().message.find("deadline"), std::string::npos) << late.error().message;
  const Status endless = run_until(std::chrono::seconds(60), std::chrono::milliseconds(20));
  ASSERT_FALSE(endless);
  EXPECT_EQ(endless.error().code, Code::kMissedDeadlineTransient);
  EXPECT_NE(endless.error().message.find("setLoopTimeout"), std::string::npos) << endless.error().message;
  EXPECT_TRUE(run(*prepared, {0.0F, 0.0F}, 2, 2).status);
}

TEST_P(SegmentedPlanTest, OnlyConditionsComeBackToTheHostWhileALoopRuns) {
  if (GetParam().is_cpu) GTEST_SKIP() << "the CPU device has no memory of its own";
  const auto prepared = prepare(loop({1000}, false));
  ASSERT_TRUE(prepared);
  const auto copied = [&](int32_t times) {
    const Counters before = prepared->counters();
    EXPECT_TRUE(run(*prepared, std::vector<float>(1000), times, 1000).status);
    const Counters after = prepared->counters();
    return std::pair(after.at("bytes_copied_in") - before.at("bytes_copied_in"),
                     after.at("bytes_copied_out") - before.at("bytes_copied_out"));
  };
  const auto few = copied(3);
  const auto many = copied(13);
  // In each iteration the host passes the limit, a model input, in twice (4 bytes each) and reads the condition (1 byte).
  EXPECT_EQ(many.first - few.first, 10U * 2 * 4);
  EXPECT_EQ(many.second - few.second, 10U);
  EXPECT_EQ(prepared->counters().at("recordings_built"), 2U);
}

TEST_P(SegmentedPlanTest, ManyIterationsDoNotExhaustTheStack) {
  if (!GetParam().is_cpu) GTEST_SKIP() << "only devices that finish inside submit() could nest";
  const auto prepared = prepare(loop({1}, false));
  ASSERT_TRUE(prepared);
  const Result result = run(*prepared, {0.0F}, 100000, 1);
  ASSERT_TRUE(result.status);
  EXPECT_EQ(result.values[0], 100000.0F);
}

// (x, number) -> number != 0 ? x + 1 : x - 1.
TEST_P(SegmentedPlanTest, AnIfRunsOneBranch) {
  const auto branch = [](OperationCode code) {
    PlanFixture m;
    const TensorId x = m.input({3});
    const TensorId y = m.output({3});
    m.node(code, {x, real(m, 1), m.scalar(0)}, {y});
    return m.plan();
  };
  PlanFixture m;
  const TensorId x = m.input({3});
  const TensorId number = m.input({1}, OperandType::kTensorInt32);
  const TensorId is_set = m.temporary({1}, OperandType::kTensorBool8);
  const TensorId chosen = m.temporary({3});
  const TensorId y = m.output({3});
  m.node(OperationCode::kNotEqual, {number, integer(m, 0)}, {is_set});
  const TensorId then_model = m.model(branch(OperationCode::kAdd));
  const TensorId else_model = m.model(branch(OperationCode::kSub));
  m.node(OperationCode::kIf, {is_set, then_model, else_model, x}, {chosen});
  m.node(OperationCode::kMul, {chosen, real(m, 10), m.scalar(0)}, {y});
  const auto prepared = prepare(m.plan());
  ASSERT_TRUE(prepared);
  EXPECT_EQ(run(*prepared, {1.0F, 2.0F, 3.0F}, 1, 3).values, (std::vector<float>{20.0F, 30.0F, 40.0F}));
  EXPECT_EQ(run(*prepared, {1.0F, 2.0F, 3.0F}, 0, 3).values, (std::vector<float>{0.0F, 10.0F, 20.0F}));
}

// A loop in the body of a loop: limit * limit additions.
TEST_P(SegmentedPlanTest, LoopsNest) {
  PlanFixture body;
  const TensorId x = body.input({2});
  const TensorId counter = body.input({1}, OperandType::kTensorInt32);
  const TensorId limit = body.input({1}, OperandType::kTensorInt32);
  const TensorId next_x = body.output({2});
  const TensorId next_counter = body.output({1}, OperandType::kTensorInt32);
  add_loop(body, {2}, count_up({2}, false), x, limit, next_x);
  body.node(OperationCode::kAdd, {counter, integer(body, 1), body.scalar(0)}, {next_counter});

  PlanFixture m;
  const TensorId outer_x = m.input({2});
  const TensorId outer_limit = m.input({1}, OperandType::kTensorInt32);
  add_loop(m, {2}, body.plan(), outer_x, outer_limit, m.output({2}));
  const auto prepared = prepare(m.plan());
  ASSERT_TRUE(prepared);
  const Result result = run(*prepared, {1.0F, 2.0F}, 4, 2);
  ASSERT_TRUE(result.status) << result.status.error().message;
  EXPECT_EQ(result.values, (std::vector<float>{17.0F, 18.0F}));
}

// The boxes that BOX_WITH_NMS_LIMIT keeps. Each region has two classes with the same box; class 0 is the background.
struct KeptBoxes {
  TensorId scores, boxes, classes, split;
};

// Its inputs: the scores, region by region, and an unused number. `scores` becomes the output for the kept boxes.
KeptBoxes add_boxes(PlanFixture& m, const std::vector<float>& corners, const std::optional<Shape>& declared = {}) {
  const auto regions = static_cast<uint32_t>(corners.size() / 4);
  std::vector<float> twice;
  for (size_t at = 0; at < corners.size(); at += 4) {
    for (int time = 0; time < 2; ++time) twice.insert(twice.end(), corners.begin() + at, corners.begin() + at + 4);
  }
  const TensorId flat = m.input({2 * regions});
  m.input({1}, OperandType::kTensorInt32);
  const TensorId table = m.temporary({regions, 2});
  const TensorId shape = m.constant<int32_t>({2}, OperandType::kTensorInt32, {static_cast<int32_t>(regions), 2});
  m.node(OperationCode::kReshape, {flat, shape}, {table});
  const TensorId boxes = m.constant<float>({regions, 8}, OperandType::kTensorFloat32, twice);
  const TensorId batches = m.constant<int32_t>({regions}, OperandType::kTensorInt32, std::vector<int32_t>(regions));
  const KeptBoxes kept{declared ? m.output(*declared) : m.temporary({kUnknownDimension}), m.temporary({kUnknownDimension, 4}),
                       m.temporary({kUnknownDimension}, OperandType::kTensorInt32),
                       m.temporary({kUnknownDimension}, OperandType::kTensorInt32)};
  m.node(OperationCode::kBoxWithNmsLimit,
         {table, boxes, batches, float_scalar(m, 0.1F), m.scalar(-1), m.scalar(0), float_scalar(m, 0.5F), float_scalar(m, 0.5F),
          float_scalar(m, 0.1F)},
         {kept.scores, kept.boxes, kept.classes, kept.split});
  return kept;
}

// Four regions with one class each; two of them overlap. A second part of the model doubles the kept scores.
TEST_P(SegmentedPlanTest, WhatFollowsADataDependentSizeSeesTheRealSize) {
  PlanFixture m;
  const TensorId kept = add_boxes(m, {0, 0, 10, 10, 0, 0, 10, 10, 20, 20, 30, 30, 40, 40, 50, 50}).scores;
  m.node(OperationCode::kAdd, {kept, kept, m.scalar(0)}, {m.output({kUnknownDimension})});
  const auto prepared = prepare(m.plan());
  ASSERT_TRUE(prepared);
  // Box 1 lies on box 0 and has the lower score.
  const Result three = run(*prepared, {0, 0.75F, 0, 0.5F, 0, 0.25F, 0, 0.375F}, 0, 8);
  ASSERT_TRUE(three.status) << three.status.error().message;
  EXPECT_EQ(three.shape, Shape{3});
  EXPECT_EQ(std::vector<float>(three.values.begin(), three.values.begin() + 3), (std::vector<float>{1.5F, 0.75F, 0.5F}));
  const Result one = run(*prepared, {0, 0.0F, 0, 0.5F, 0, 0.0F, 0, 0.0F}, 0, 1);
  ASSERT_TRUE(one.status) << one.status.error().message;
  EXPECT_EQ(one.shape, Shape{1});
  EXPECT_EQ(one.values, std::vector<float>{1.0F});
}

// The same regions with declared sizes: right, too small, and no kept box at all.
TEST_P(SegmentedPlanTest, ADeclaredSizeMustBeTheRealOneUnlessNothingIsKept) {
  PlanFixture m;
  add_boxes(m, {0, 0, 10, 10, 20, 20, 30, 30}, Shape{2});
  const auto prepared = prepare(m.plan());
  ASSERT_TRUE(prepared);
  const Result right = run(*prepared, {0, 0.75F, 0, 0.5F}, 0, 2);
  ASSERT_TRUE(right.status) << right.status.error().message;
  EXPECT_EQ(right.values, (std::vector<float>{0.75F, 0.5F}));
  const Result other = run(*prepared, {0, 0.75F, 0, 0.0F}, 0, 2);
  ASSERT_FALSE(other.status);
  EXPECT_EQ(other.status.error().code, Code::kOpFailed);
  const Result none = run(*prepared, {0, 0.0F, 0, 0.0F}, 0, 2);
  ASSERT_TRUE(none.status) << none.status.error().message;
  EXPECT_EQ(none.shape, Shape{2});
  EXPECT_EQ(none.values, (std::vector<float>{0.0F, 0.0F}));
}

// An operation on an empty tensor gives an empty one. If its size is declared, the client receives zeros of that size.
TEST_P(SegmentedPlanTest, NothingPassedOnLeavesADeclaredSizeAndGivesZeros) {
  for (const bool other_size : {false, true}) {
    PlanFixture m;
    const TensorId kept_boxes = add_boxes(m, {0, 0, 10, 10, 20, 20, 30, 30}).boxes;
    m.node(OperationCode::kRelu, {kept_boxes}, {m.output({2, other_size ? 3U : 4U})});
    const auto prepared = prepare(m.plan());
    if (!prepared) {  // a device that resolves all shapes at once may find the contradiction here
      EXPECT_TRUE(other_size);
      continue;
    }
    const Result none = run(*prepared, {0, 0.0F, 0, 0.0F}, 0, 8);
    if (other_size) {
      EXPECT_FALSE(none.status);
      continue;
    }
    ASSERT_TRUE(none.status) << none.status.error().message;
    EXPECT_EQ(none.shape, (Shape{2, 4}));
    EXPECT_EQ(none.values, std::vector<float>(8, 0.0F));
    const Result both = run(*prepared, {0, 0.75F, 0, 0.5F}, 0, 8);
    ASSERT_TRUE(both.status) << both.status.error().message;
    EXPECT_EQ(both.values, (std::vector<float>{0, 0, 10, 10, 20, 20, 30, 30}));
  }
}

}  // namespace
}  // namespace nnvk::vulkan
