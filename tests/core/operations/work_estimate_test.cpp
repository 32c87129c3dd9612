// Work is counted from shapes alone.
#include "core/operations/work_estimate.h"

#include <gtest/gtest.h>

#include "core/plan/plan.h"
#include "tests/support/plan_fixture.h"

namespace nnvk {
namespace {

using nnvk::test::PlanFixture;

Work work_of(const PlanFixture& fixture) {
  const auto plan = fixture.plan();
  return estimate_work(declared_view(*plan, plan->nodes.front()).view());
}

TEST(WorkEstimate, CountsMultiplyAddsOfProducts) {
  PlanFixture conv;
  conv.node(OperationCode::kConv2d, {conv.input({1, 8, 8, 3}), conv.input({16, 3, 3, 3}), conv.input({16})},
            {conv.output({1, 8, 8, 16})});
  EXPECT_EQ(work_of(conv).multiply_adds, 8U * 8 * 16 * 27);
  PlanFixture depthwise;
  depthwise.node(OperationCode::kDepthwiseConv2d,
                 {depthwise.input({1, 8, 8, 4}), depthwise.input({1, 3, 3, 8}), depthwise.input({8})},
                 {depthwise.output({1, 8, 8, 8})});
  EXPECT_EQ(work_of(depthwise).multiply_adds, 8U * 8 * 8 * 9);
  PlanFixture dense;
  dense.node(OperationCode::kFullyConnected, {dense.input({2, 10}), dense.input({5, 10}), dense.input({5})},
             {dense.output({2, 5})});
  EXPECT_EQ(work_of(dense).multiply_adds, 2U * 5 * 10);
  PlanFixture transposed;
  transposed.node(OperationCode::kTransposeConv2d,
                  {transposed.input({1, 4, 4, 6}), transposed.input({7, 2, 2, 6}), transposed.input({7})},
                  {transposed.output({1, 8, 8, 7})});
  EXPECT_EQ(work_of(transposed).multiply_adds, 4U * 4 * 6 * 7 * 4);
  PlanFixture product;
  product.node(OperationCode::kBatchMatmul,
               {product.input({2, 3, 5}), product.input({2, 5, 7}), product.flag(false), product.flag(false)},
               {product.output({2, 3, 7})});
  EXPECT_EQ(work_of(product).multiply_adds, 2U * 3 * 5 * 7);
  PlanFixture recurrent;
  recurrent.node(OperationCode::kRnn,
                 {recurrent.input({2, 3}), recurrent.input({4, 3}), recurrent.input({4, 4}), recurrent.input({4}),
                  recurrent.input({2, 4}), recurrent.scalar(0)},
                 {recurrent.output({2, 4}), recurrent.output({2, 4})});
  EXPECT_EQ(work_of(recurrent).multiply_adds, 2U * (2 * 3 + 4 * 3 + 4 * 4 + 2 * 4));
}

TEST(WorkEstimate, CountsBytesOfEveryOperandThatIsThere) {
  PlanFixture fixture;
  fixture.node(OperationCode::kSqueeze, {fixture.input({1, 5}), fixture.omitted(OperandType::kTensorInt32)},
               {fixture.output({5})});
  EXPECT_EQ(work_of(fixture).bytes, 40U);
  EXPECT_EQ(work_of(fixture).multiply_adds, 0U);
}

TEST(WorkEstimate, UnknownDimensionsCountAsOne) {
  PlanFixture fixture;
  fixture.node(OperationCode::kConv2d,
               {fixture.input(Shape::unknown_rank()), fixture.input({16, kUnknownDimension, 3, 3}), fixture.input({16})},
               {fixture.output({1, kUnknownDimension, 8, 16})});
  EXPECT_EQ(work_of(fixture).multiply_adds, 8U * 16 * 3 * 3);
}

}  // namespace
}  // namespace nnvk
