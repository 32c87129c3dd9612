// Fingerprints tell plans apart that a device would prepare differently.
#include "core/plan/plan_fingerprint.h"

#include <gtest/gtest.h>

#include <functional>
#include <set>

#include "tests/support/plan_fixture.h"

namespace nnvk {
namespace {

Plan addition(float constant = 1.0F) {
  test::PlanFixture f;
  const TensorId x = f.input({2});
  const TensorId y = f.constant<float>({2}, OperandType::kTensorFloat32, {constant, 2.0F});
  const TensorId z = f.output({2});
  f.node(OperationCode::kAdd, {x, y, f.scalar(0)}, {z});
  return f.raw();
}

TEST(PlanFingerprint, IsTheSameForEqualPlansOnly) {
  const std::vector<std::function<void(Plan&)>> changes = {
      [](Plan& p) { p = addition(1.5F); },
      [](Plan& p) { p.tensors[0].info.shape = {3}; },
      [](Plan& p) { p.tensors[0].info.type = OperandType::kTensorFloat16; },
      [](Plan& p) { p.tensors[0].info.scale = 0.5F; },
      [](Plan& p) { p.tensors[0].info.zero_point = 3; },
      [](Plan& p) { p.tensors[0].info.channel_quant = std::make_shared<ChannelQuant>(); },
      [](Plan& p) { p.tensors[0].view_of = 1; },
      [](Plan& p) { p.nodes[0].code = OperationCode::kMul; },
      [](Plan& p) { std::swap(p.nodes[0].inputs[0], p.nodes[0].inputs[1]); },
      [](Plan& p) { p.nodes[0].fused_activation = FusedActivation::kRelu; },
      [](Plan& p) { p.nodes[0].residual = 0; },
      [](Plan& p) { p.relaxed = true; },
      [](Plan& p) { p.inputs.push_back(1); },
      [](Plan& p) { p.subgraphs.push_back(std::make_shared<const Plan>(addition())); },
      [](Plan& p) { p.subgraphs.push_back(std::make_shared<const Plan>(addition(7.0F))); },
  };
  std::set<uint64_t> seen{plan_fingerprint(addition())};
  EXPECT_TRUE(seen.contains(plan_fingerprint(addition())));
  for (size_t i = 0; i < changes.size(); ++i) {
    Plan plan = addition();
    changes[i](plan);
    EXPECT_TRUE(seen.insert(plan_fingerprint(plan)).second) << "change " << i;
  }
}

TEST(PlanFingerprint, DoesNotCareWhereOperationsComeFrom) {
  Plan moved = addition();
  moved.nodes[0].source_operation = 5;
  moved.tensors[0].source_operand = 9;
  EXPECT_EQ(plan_fingerprint(moved), plan_fingerprint(addition()));
}

TEST(PlanFingerprint, ConstantsAreCountedWithThoseOfReferencedPlans) {
  Plan plan = addition();
  const uint64_t own = constant_bytes(plan);
  EXPECT_EQ(own, 2 * sizeof(float) + sizeof(int32_t));
  plan.subgraphs.push_back(std::make_shared<const Plan>(addition()));
  EXPECT_EQ(constant_bytes(plan), 2 * own);
}

}  // namespace
}  // namespace nnvk
