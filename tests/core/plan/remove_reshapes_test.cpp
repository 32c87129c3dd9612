// The rewrite that turns reshapes into views: changes of the pass, and plans that it must not change.
#include <gtest/gtest.h>

#include "core/plan/rewrites.h"
#include "tests/support/plan_fixture.h"

namespace nnvk {
namespace {

using test::PlanFixture;
constexpr auto kI32 = OperandType::kTensorInt32;

TEST(RemoveReshapes, AReshapeBetweenTemporariesIsAView) {
  PlanFixture f;
  const TensorId in = f.input({4});
  const TensorId a = f.temporary({4});
  const TensorId b = f.temporary({2, 2});
  const TensorId out = f.output({2, 2});
  f.node(OperationCode::kTanh, {in}, {a});
  f.node(OperationCode::kReshape, {a, f.constant<int32_t>({2}, kI32, {2, 2})}, {b});
  f.node(OperationCode::kTanh, {b}, {out});
  const auto plan = remove_reshapes(f.plan());
  EXPECT_TRUE(plan->nodes[1].is_view);
  EXPECT_EQ(plan->storage_of(b), a);
}

TEST(RemoveReshapes, AReshapeIntoAPlanOutputLetsTheProducerWriteThere) {
  PlanFixture f;
  const TensorId in = f.input({4});
  const TensorId a = f.temporary({4});
  const TensorId b = f.temporary({1, 4});
  const TensorId out = f.output({2, 2});
  f.node(OperationCode::kTanh, {in}, {a});
  f.node(OperationCode::kReshape, {a, f.constant<int32_t>({2}, kI32, {1, 4})}, {b});
  f.node(OperationCode::kReshape, {b, f.constant<int32_t>({2}, kI32, {2, 2})}, {out});
  const auto plan = remove_reshapes(f.plan());
  EXPECT_TRUE(plan->nodes[1].is_view);
  EXPECT_TRUE(plan->nodes[2].is_view);
  EXPECT_EQ(plan->storage_of(a), out);
  EXPECT_EQ(plan->storage_of(b), out);
  EXPECT_EQ(plan->storage_of(out), out);
}

TEST(RemoveReshapes, InputToOutputIsCopied) {
  PlanFixture f;
  const TensorId in = f.input({4});
  const TensorId out = f.output({2, 2});
  f.node(OperationCode::kReshape, {in, f.constant<int32_t>({2}, kI32, {2, 2})}, {out});
  EXPECT_FALSE(remove_reshapes(f.plan())->nodes[0].is_view);
}

TEST(RemoveReshapes, TwoOutputsNeverShareBytes) {
  PlanFixture f;
  const TensorId in = f.input({4});
  const TensorId a = f.temporary({4});
  const TensorId out1 = f.output({2, 2});
  const TensorId out2 = f.output({4, 1});
  f.node(OperationCode::kTanh, {in}, {a});
  f.node(OperationCode::kReshape, {a, f.constant<int32_t>({2}, kI32, {2, 2})}, {out1});
  f.node(OperationCode::kReshape, {a, f.constant<int32_t>({2}, kI32, {4, 1})}, {out2});
  const auto plan = remove_reshapes(f.plan());
  EXPECT_TRUE(plan->nodes[1].is_view);
  EXPECT_FALSE(plan->nodes[2].is_view);
}

}  // namespace
}  // namespace nnvk
