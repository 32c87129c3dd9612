// Tests of the cuts of plans into segments.
#include "core/plan/segments.h"

#include <gtest/gtest.h>

#include "tests/support/plan_fixture.h"

namespace nnvk {
namespace {

using enum OperandType;

// y = RELU(x) as a model that others reference.
std::shared_ptr<const Plan> relu_model() {
  test::PlanFixture f;
  const TensorId x = f.input({4});
  const TensorId y = f.output({4});
  f.node(OperationCode::kRelu, {x}, {y});
  return f.plan();
}

TEST(Segments, AStraightPlanNeedsNone) {
  EXPECT_FALSE(needs_segments(*relu_model()));
  EXPECT_EQ(cut_into_segments(*relu_model()).size(), 1U);
}

TEST(Segments, ControlFlowStandsAloneBetweenTheStraightParts) {
  test::PlanFixture f;
  const TensorId x = f.input({4});
  const TensorId condition = f.input({1}, kTensorBool8);
  const TensorId before = f.temporary({4});
  const TensorId chosen = f.temporary({4});
  const TensorId y = f.output({4});
  f.node(OperationCode::kTanh, {x}, {before});
  const TensorId then_model = f.model(relu_model());
  const TensorId else_model = f.model(relu_model());
  f.node(OperationCode::kIf, {condition, then_model, else_model, before}, {chosen});
  f.node(OperationCode::kAdd, {chosen, before, f.scalar(0)}, {y});

  ASSERT_TRUE(needs_segments(*f.plan()));
  const auto segments = cut_into_segments(*f.plan());
  ASSERT_EQ(segments.size(), 3U);
  EXPECT_EQ(segments[0].kind, Segment::Kind::kStraight);
  EXPECT_EQ(segments[0].inputs, std::vector{x});
  EXPECT_EQ(segments[0].outputs, std::vector{before});
  EXPECT_EQ(segments[1].kind, Segment::Kind::kIf);
  EXPECT_EQ(segments[1].condition, condition);
  EXPECT_EQ(segments[1].inputs, std::vector{before});
  EXPECT_EQ(segments[1].outputs, std::vector{chosen});
  EXPECT_EQ(segments[2].inputs, (std::vector{chosen, before}));
  EXPECT_EQ(segments[2].outputs, std::vector{y});
  EXPECT_EQ(segments[2].plan->nodes.size(), 1U);
  EXPECT_EQ(segments[2].plan->inputs.size(), 2U);
}

TEST(Segments, TemporariesOfOneSegmentStayInsideIt) {
  test::PlanFixture f;
  const TensorId x = f.input({4});
  const TensorId inner = f.temporary({4});
  const TensorId last = f.temporary({4});
  const TensorId y = f.output({4});
  f.node(OperationCode::kTanh, {x}, {inner});
  f.node(OperationCode::kRelu, {inner}, {last});
  const TensorId body = f.model(relu_model());
  f.node(OperationCode::kWhile, {body, body, last}, {y});
  const auto segments = cut_into_segments(*f.plan());
  ASSERT_EQ(segments.size(), 2U);
  EXPECT_EQ(segments[0].outputs, std::vector{last});
  EXPECT_EQ(segments[1].kind, Segment::Kind::kWhile);
  EXPECT_EQ(segments[1].inputs, std::vector{last});
}

TEST(Segments, AReaderOfADataDependentSizeBeginsANewOne) {
  test::PlanFixture f;
  const TensorId scores = f.input({10, 2});
  const TensorId boxes = f.input({10, 8});
  const TensorId batches = f.input({10}, kTensorInt32);
  const TensorId kept = f.temporary({kUnknownDimension});
  const TensorId kept_boxes = f.output({kUnknownDimension, 4});
  const TensorId classes = f.output({kUnknownDimension}, kTensorInt32);
  const TensorId indices = f.output({kUnknownDimension}, kTensorInt32);
  const TensorId y = f.output({kUnknownDimension});
  const TensorId number = f.constant<float>({}, kFloat32, {0.1F});
  f.node(OperationCode::kBoxWithNmsLimit, {scores, boxes, batches, number, f.scalar(-1), f.scalar(0), number, number, number},
         {kept, kept_boxes, classes, indices});
  EXPECT_FALSE(needs_segments(*f.plan()));
  f.node(OperationCode::kRelu, {kept}, {y});
  ASSERT_TRUE(needs_segments(*f.plan()));
  const auto segments = cut_into_segments(*f.plan());
  ASSERT_EQ(segments.size(), 2U);
  EXPECT_EQ(segments[1].inputs, std::vector{kept});
}

TEST(Segments, TheHostReadsConditionsAndParametersOfReferencedModels) {
  test::PlanFixture body;
  const TensorId x = body.input({2, 3});
  const TensorId shape = body.input({2}, kTensorInt32);
  const TensorId reshaped = body.output({3, 2});
  body.node(OperationCode::kReshape, {x, shape}, {reshaped});
  EXPECT_EQ(inputs_read_by_host(*body.plan()), (std::vector{false, true}));

  test::PlanFixture f;
  const TensorId outer_x = f.input({2, 3});
  const TensorId outer_shape = f.input({2}, kTensorInt32);
  const TensorId condition = f.input({1}, kTensorBool8);
  const TensorId y = f.output({3, 2});
  const TensorId model = f.model(body.plan());
  f.node(OperationCode::kIf, {condition, model, model, outer_x, outer_shape}, {y});
  EXPECT_EQ(inputs_read_by_host(*f.plan()), (std::vector{false, true, true}));
}

}  // namespace
}  // namespace nnvk
