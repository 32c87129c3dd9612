// The rewrite that computes results of constants once: changes of the pass, and plans that it must not change.
#include <gtest/gtest.h>

#include "core/plan/rewrites.h"
#include "tests/support/plan_fixture.h"

namespace nnvk {
namespace {

using test::PlanFixture;
constexpr auto kF32 = OperandType::kTensorFloat32;

TEST(FoldConstants, ANodeOverConstantsIsEvaluatedOnce) {
  PlanFixture f;
  const TensorId a = f.constant<float>({2}, kF32, {1, 2});
  const TensorId folded = f.temporary({2});
  const TensorId in = f.input({2});
  const TensorId out = f.output({2});
  f.node(OperationCode::kRelu, {a}, {folded});
  f.node(OperationCode::kAdd, {in, folded, f.scalar(0)}, {out});
  int calls = 0;
  const HostEvaluator evaluator = [&](const Plan&, const PlanNode& node, std::span<const OperandView>,
                                      std::span<const OperandInfo>, std::span<const std::span<std::byte>> outputs) -> Status {
    ++calls;
    EXPECT_EQ(node.code, OperationCode::kRelu);
    const float values[] = {5, 6};
    std::memcpy(outputs[0].data(), values, sizeof values);
    return {};
  };
  const auto plan = fold_constants(f.plan(), evaluator);
  EXPECT_EQ(calls, 1);
  ASSERT_EQ(plan->nodes.size(), 1U);
  ASSERT_TRUE(plan->is_constant(folded));
  float second;
  std::memcpy(&second, plan->tensors[folded].value.data() + 4, 4);
  EXPECT_EQ(second, 6.0F);
}

TEST(FoldConstants, AFailingNodeStaysForExecutionToReport) {
  PlanFixture f;
  const TensorId a = f.constant<float>({2}, kF32, {1, 2});
  const TensorId middle = f.temporary({2});
  const TensorId out = f.output({2});
  f.node(OperationCode::kRelu, {a}, {middle});
  f.node(OperationCode::kRelu, {middle}, {out});
  const HostEvaluator evaluator = [](auto&&...) -> Status { return fail(Code::kOpFailed, "no"); };
  EXPECT_EQ(fold_constants(f.plan(), evaluator)->nodes.size(), 2U);
}

// Every execution must draw new numbers, also from constant probabilities.
TEST(FoldConstants, RandomNumbersAreNeverFolded) {
  PlanFixture f;
  const TensorId chances = f.constant<float>({1, 2}, kF32, {1, 2});
  const TensorId seeds = f.constant<int32_t>({2}, OperandType::kTensorInt32, {3, 4});
  const TensorId drawn = f.temporary({1, 5});
  f.node(OperationCode::kRandomMultinomial, {chances, f.scalar(5), seeds}, {drawn});
  f.node(OperationCode::kAbs, {drawn}, {f.output({1, 5})});
  const HostEvaluator evaluator = [](auto&&...) -> Status { return {}; };
  EXPECT_EQ(fold_constants(f.plan(), evaluator)->nodes.size(), 2U);
}

}  // namespace
}  // namespace nnvk
