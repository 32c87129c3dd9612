// Tests of which plans can be recorded, and which operation the error names if one cannot.
#include "core/plan/recordability.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "core/plan/segments.h"
#include "tests/support/plan_fixture.h"

namespace nnvk {
namespace {

using enum OperandType;
using testing::HasSubstr;

Recordability recordability_of(const Plan& plan, const std::map<uint32_t, std::string>& elsewhere = {}) {
  const auto found = find_recordability(plan, elsewhere, {});
  if (!found) ADD_FAILURE() << found.error().text();
  return found ? *found : Recordability();
}

std::optional<RecordingObstacle> obstacle_of(const Plan& plan, const std::map<uint32_t, std::string>& elsewhere = {}) {
  return recordability_of(plan, elsewhere).obstacle;
}

void expect_obstacle(const Plan& plan, uint32_t operation, const std::string& reason,
                     const std::map<uint32_t, std::string>& elsewhere = {}) {
  const auto found = obstacle_of(plan, elsewhere);
  ASSERT_TRUE(found.has_value());
  EXPECT_EQ(found->operation, operation) << found->reason;
  EXPECT_THAT(found->reason, HasSubstr(reason));
  EXPECT_THAT(found->reason, HasSubstr("(operation " + std::to_string(operation) + ")"));
}

// TANH, RELU, TANH, ... over tensors of one shape.
std::shared_ptr<test::PlanFixture> chain(const Shape& shape, int count) {
  auto f = std::make_shared<test::PlanFixture>();
  TensorId last = f->input(shape);
  for (int i = 0; i < count; ++i) {
    const TensorId next = i + 1 == count ? f->output(shape) : f->temporary(shape);
    f->node(i % 2 == 0 ? OperationCode::kTanh : OperationCode::kRelu, {last}, {next});
    last = next;
  }
  return f;
}

TEST(Recordability, AStraightPlanWithKnownShapesCanBeRecorded) {
  EXPECT_FALSE(obstacle_of(*chain({1, 2, 3, 4}, 5)->plan()).has_value());
}

TEST(Recordability, APlanWithoutOperationsCanBeRecorded) { EXPECT_FALSE(obstacle_of(*test::PlanFixture().plan()).has_value()); }

TEST(Recordability, ALoopIsToldWithItsIndex) {
  test::PlanFixture f;
  const TensorId x = f.input({4});
  const TensorId before = f.temporary({4});
  const TensorId y = f.output({4});
  f.node(OperationCode::kTanh, {x}, {before});
  const TensorId condition = f.model(chain({4}, 1)->plan());
  const TensorId body = f.model(chain({4}, 1)->plan());
  f.node(OperationCode::kWhile, {condition, body, before}, {y});
  expect_obstacle(*f.plan(), 1, "depends on data that the host must look at");
}

TEST(Recordability, ABranchIsToldWithItsIndex) {
  test::PlanFixture f;
  const TensorId condition = f.input({1}, kTensorBool8);
  const TensorId x = f.input({4});
  const TensorId y = f.output({4});
  const TensorId model = f.model(chain({4}, 1)->plan());
  f.node(OperationCode::kIf, {condition, model, model, x}, {y});
  expect_obstacle(*f.plan(), 0, "depends on data that the host must look at");
}

TEST(Recordability, AnOperationOnAnotherDeviceIsToldWithThatDevice) {
  expect_obstacle(*chain({4}, 4)->plan(), 2, "it runs on another device, nnvk-cpu", {{3, "sample-npu"}, {2, "nnvk-cpu"}});
}

// Rewrites may change the order of nodes against the model's order of operations.
TEST(Recordability, TheFirstOperationOfTheModelIsToldAndNotTheFirstNode) {
  const auto f = chain({4}, 3);
  f->raw().nodes[0].source_operation = 7;
  f->raw().nodes[2].source_operation = 3;
  expect_obstacle(*f->plan(), 3, "another", {{7, "nnvk-cpu"}, {3, "nnvk-cpu"}});
}

TEST(Recordability, OperationsThatRewritesRemovedAreNoObstacle) {
  EXPECT_FALSE(obstacle_of(*chain({4}, 2)->plan(), {{5, "nnvk-cpu"}}).has_value());
}

TEST(Recordability, OpenShapesAreNoObstacleButMustBeKnownLater) {
  EXPECT_TRUE(recordability_of(*chain({4}, 2)->plan()).shapes_known);
  const auto f = chain({4}, 1);
  const TensorId open = f->input({1, kUnknownDimension});
  const TensorId y = f->output({1, kUnknownDimension});
  f->node(OperationCode::kTanh, {open}, {y});
  EXPECT_FALSE(obstacle_of(*f->plan()).has_value());
  EXPECT_FALSE(recordability_of(*f->plan()).shapes_known);
}

TEST(Recordability, AShapeThatFollowsFromConstantsIsKnown) {
  test::PlanFixture f;
  const TensorId x = f.input({1, 4});
  const TensorId y = f.output({kUnknownDimension, kUnknownDimension});
  f.node(OperationCode::kTanh, {x}, {y});
  EXPECT_TRUE(recordability_of(*f.plan()).shapes_known);
}

TEST(Recordability, AParameterThatIsAnInputIsToldByItsReader) {
  test::PlanFixture f;
  const TensorId x = f.input({2, 4});
  const TensorId before = f.temporary({2, 4});
  const TensorId shape = f.input({2}, kTensorInt32);
  const TensorId y = f.output({4, 2});
  f.node(OperationCode::kTanh, {x}, {before});
  f.node(OperationCode::kReshape, {before, shape}, {y});
  expect_obstacle(*f.plan(), 1, "its input 1 decides what is computed");
}

TEST(Recordability, AConstantParameterIsNoObstacle) {
  test::PlanFixture f;
  const TensorId x = f.input({2, 4});
  const TensorId y = f.output({4, 2});
  f.node(OperationCode::kReshape, {x, f.constant<int32_t>({2}, kTensorInt32, {4, 2})}, {y});
  EXPECT_FALSE(obstacle_of(*f.plan()).has_value());
}

// The output size of BOX_WITH_NMS_LIMIT is known only after it has run: an obstacle even if no other operation reads the output.
TEST(Recordability, ASizeThatDependsOnDataIsTold) {
  test::PlanFixture f;
  const TensorId scores = f.input({3, 2});
  const TensorId boxes = f.input({3, 8});
  const TensorId batches = f.input({3}, kTensorInt32);
  const Shape open = {kUnknownDimension};
  const TensorId out_scores = f.output(open);
  const TensorId out_boxes = f.output({kUnknownDimension, 4});
  const TensorId classes = f.output(open, kTensorInt32);
  const TensorId out_batches = f.output(open, kTensorInt32);
  const auto number = [&](float value) { return f.constant<float>({}, kFloat32, {value}); };
  f.node(OperationCode::kBoxWithNmsLimit,
         {scores, boxes, batches, number(0.3F), f.scalar(-1), f.scalar(0), number(0.4F), number(1.0F), number(0.3F)},
         {out_scores, out_boxes, classes, out_batches});
  expect_obstacle(*f.plan(), 0, "the size of its output depends on data");
}

TEST(Recordability, ShapesThatContradictEachOtherAreAnError) {
  test::PlanFixture f;
  const TensorId x = f.input({4});
  const TensorId y = f.output({5});
  f.node(OperationCode::kTanh, {x}, {y});
  EXPECT_FALSE(find_recordability(*f.plan(), {}, {}).has_value());
}

}  // namespace
}  // namespace nnvk
