// Predictions come from shapes alone.
#include "cpu_fallback/predicted_time.h"

#include <gtest/gtest.h>

#include "core/plan/plan.h"
#include "tests/support/plan_fixture.h"

namespace nnvk::cpu {
namespace {

using nnvk::test::PlanFixture;

double seconds_of(const PlanFixture& fixture) {
  const auto plan = fixture.plan();
  return predicted_seconds(declared_view(*plan, plan->nodes.front()).view());
}

TEST(PredictedTime, UnknownShapesCostLittleInsteadOfFailing) {
  PlanFixture fixture;
  fixture.node(OperationCode::kConv2d,
               {fixture.input(Shape::unknown_rank()), fixture.input({16, kUnknownDimension, 3, 3}), fixture.input({16})},
               {fixture.output({1, kUnknownDimension, 8, 16})});
  EXPECT_GT(seconds_of(fixture), 0.0);
  EXPECT_LT(seconds_of(fixture), 1e-3);
}

TEST(PredictedTime, ARecurrentLayerCostsItsProducts) {
  PlanFixture fixture;
  fixture.node(OperationCode::kRnn,
               {fixture.input({1, 512}), fixture.input({512, 512}), fixture.input({512, 512}), fixture.input({512}),
                fixture.input({1, 512}), fixture.scalar(0)},
               {fixture.output({1, 512}), fixture.output({1, 512})});
  EXPECT_GT(seconds_of(fixture), 512 * 512 * 1e-9);
}

}  // namespace
}  // namespace nnvk::cpu
