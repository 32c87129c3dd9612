// Fingerprints distinguish plans that a device would prepare differently.
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

std::shared_ptr<const ExtensionOperand> extension_named(const std::string& name) {
  return std::make_shared<const ExtensionOperand>(ExtensionOperand{name, {7, true, 4}, {}});
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
      [](Plan& p) { p.tensors[0].info.extension = extension_named("com.example"); },
      [](Plan& p) { p.tensors[0].info.extension = extension_named("com.sample"); },
      [](Plan& p) {
        p.nodes[0].extension = ExtensionOperation{"com.example", 1};
      },
      [](Plan& p) {
        p.nodes[0].extension = ExtensionOperation{"com.example", 2};
      },
      [](Plan& p) {
        p.nodes[0].extension = ExtensionOperation{"com.sample", 1};
      },
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

// An addition whose operation and first type belong to an extension with this name, under this prefix.
Plan vendor(int32_t prefix, const std::string& name, uint16_t operation = 2, std::byte data = {}) {
  Plan plan = addition();
  plan.nodes[0].code = static_cast<OperationCode>((prefix << 16) | operation);
  plan.nodes[0].extension = ExtensionOperation{name, operation};
  plan.tensors[0].info.type = static_cast<OperandType>((prefix << 16) | 7);
  plan.tensors[0].info.extension = std::make_shared<ExtensionOperand>(ExtensionOperand{name, {7, true, 2}, {data}});
  return plan;
}

TEST(PlanFingerprint, KnowsExtensionsByTheirNames) {
  EXPECT_EQ(plan_fingerprint(vendor(1, "a.b")), plan_fingerprint(vendor(9, "a.b"))) << "prefixes differ between processes";
  EXPECT_NE(plan_fingerprint(vendor(1, "a.b")), plan_fingerprint(vendor(1, "a.c")));
  EXPECT_NE(plan_fingerprint(vendor(1, "a.b")), plan_fingerprint(vendor(1, "a.b", 3)));
  EXPECT_NE(plan_fingerprint(vendor(1, "a.b")), plan_fingerprint(vendor(1, "a.b", 2, std::byte{1})));
}

TEST(PlanFingerprint, DoesNotCareWhereOperationsComeFrom) {
  Plan moved = addition();
  moved.nodes[0].source_operation = 5;
  EXPECT_EQ(plan_fingerprint(moved), plan_fingerprint(addition()));
}

TEST(PlanFingerprint, DoesNotCareWhichPrefixAnExtensionHas) {
  const auto with_prefix = [](int32_t prefix) {
    Plan plan = addition();
    plan.nodes[0].code = static_cast<OperationCode>(prefix << 16 | 3);
    plan.nodes[0].extension = ExtensionOperation{"com.example", 3};
    plan.tensors[0].info.type = static_cast<OperandType>(prefix << 16 | 7);
    plan.tensors[0].info.extension = extension_named("com.example");
    return plan_fingerprint(plan);
  };
  EXPECT_EQ(with_prefix(1), with_prefix(2));
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
