// The rewrite that removes unused nodes: changes of the pass, and plans that it must not change.
#include <gtest/gtest.h>

#include "core/plan/rewrites.h"
#include "tests/support/plan_fixture.h"

namespace nnvk {
namespace {

using test::PlanFixture;

TEST(RemoveDeadNodes, AResultNobodyReadsIsNotComputed) {
  PlanFixture f;
  const TensorId in = f.input({4});
  const TensorId unused = f.temporary({4});
  const TensorId unused2 = f.temporary({4});
  const TensorId out = f.output({4});
  f.node(OperationCode::kTanh, {in}, {unused});
  f.node(OperationCode::kRelu, {unused}, {unused2});
  f.node(OperationCode::kRelu, {in}, {out});
  const auto plan = remove_dead_nodes(f.plan());
  ASSERT_EQ(plan->nodes.size(), 1U);
  EXPECT_EQ(plan->nodes[0].source_operation, 2U);
}

TEST(RemoveDeadNodes, ANodeThatMayFailStaysForExecutionToReport) {
  PlanFixture f;
  const TensorId in = f.input({4});
  const TensorId other = f.input({3});
  const TensorId open = f.input({kUnknownDimension});
  const TensorId wrong = f.temporary({4});
  const TensorId perhaps_wrong = f.temporary({4});
  const TensorId out = f.output({4});
  f.node(OperationCode::kAdd, {in, other, f.scalar(0)}, {wrong});
  f.node(OperationCode::kAdd, {in, open, f.scalar(0)}, {perhaps_wrong});
  f.node(OperationCode::kAdd, {in, in, f.scalar(7)}, {f.temporary({4})});
  f.node(OperationCode::kRelu, {in}, {out});
  EXPECT_EQ(remove_dead_nodes(f.plan())->nodes.size(), 4U);
}

}  // namespace
}  // namespace nnvk
