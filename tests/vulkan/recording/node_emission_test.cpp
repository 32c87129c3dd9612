// Emissions that one compilation reuses: the number of emitter calls, and equal programs.
#include "vulkan/recording/node_emission.h"

#include <gtest/gtest.h>

#include "core/plan/segments.h"
#include "network.h"
#include "tests/support/plan_fixture.h"
#include "tests/support/whole_plan.h"
#include "vulkan/placement.h"
#include "vulkan/recording/recording_builder.h"

namespace nnvk::vulkan {
namespace {

using namespace test;

using Counts = std::map<uint32_t, size_t>;

// Compiles for this device as the runtime does. Returns how often each operation was emitted.
Counts emissions_of_compilation(Device& device, const std::shared_ptr<const Plan>& plan) {
  Device* const devices[] = {&device};
  const HostEvaluator evaluator = cpu::reference_evaluator();
  const PrepareOptions options;
  Groundworks groundworks;
  const auto deployment = deploy(simplify_before_cutting(plan, evaluator), devices, groundworks);
  EXPECT_TRUE(deployment);
  const auto ready = prepare_deployment(
      *deployment,
      {.devices = devices, .options = options, .evaluator = evaluator, .launches = launches(), .groundworks = &groundworks});
  EXPECT_TRUE(ready) << ready.error().text();
  return dynamic_cast<KeptEmissions*>(groundworks.of(device))->counts();
}

class Compilations : public ::testing::Test {
 protected:
  void SetUp() override {
    if (device_ == nullptr) GTEST_SKIP() << "no Vulkan device on this machine";
  }
  std::unique_ptr<Device> device_ = first_device();
};

TEST_F(Compilations, EmitEveryNodeOnce) {
  EXPECT_EQ(emissions_of_compilation(*device_, residual_network({1, 5, 7, 4}, 2)),
            (Counts{{0, 1}, {1, 1}, {2, 1}, {3, 1}, {4, 1}}));
}

TEST_F(Compilations, EmitANodeAgainThatARewriteHasChanged) {
  PlanFixture f;
  const TensorId x = f.input({4});
  const TensorId sum = f.temporary({4});
  f.node(OperationCode::kAdd, {x, x, f.scalar(0)}, {sum});
  f.node(OperationCode::kRelu, {sum}, {f.output({4})});
  EXPECT_EQ(emissions_of_compilation(*device_, f.plan()), (Counts{{0, 2}, {1, 1}})) << "the RELU is a part of the ADD in the end";
}

TEST_F(Compilations, LeaveOpenShapesToExecutions) {
  EXPECT_EQ(emissions_of_compilation(*device_, residual_network({1, kUnknownDimension, 7, 4})), Counts());
}

DeviceTraits traits() {
  DeviceTraits traits;
  traits.max_texel_elements = 1U << 27;
  return traits;
}

Resolution resolved(const Plan& plan) { return *resolve_declared(plan, {}); }

// The contents of a program, without the addresses of constants.
std::vector<std::string> lines_of(const DispatchProgram& program) {
  std::vector<std::string> lines;
  for (const ProgramDispatch& placed : program.dispatches) {
    const Dispatch& dispatch = placed.dispatch;
    std::string line = std::to_string(placed.level) + " " + std::to_string(dispatch.node) + " " + dispatch.label + " " +
                       kernel_info(dispatch.kernel).name;
    for (const uint32_t groups : dispatch.groups) line += " " + std::to_string(groups);
    for (const Location& at : placed.locations) {
      line += " " + std::to_string(static_cast<int>(at.region)) + ":" + std::to_string(at.index) + "+" +
              std::to_string(at.offset) + "," + std::to_string(at.size);
    }
    line.append(reinterpret_cast<const char*>(dispatch.params.data()), dispatch.params.size());
    lines.push_back(std::move(line));
  }
  return lines;
}

TEST(KeptEmissions, ServeAStepOfThePlanTheyWereMadeFor) {
  const auto whole = residual_network({1, 5, 7, 4}, 3);
  KeptEmissions kept;
  for (const Placement& placement : place_nodes(*whole, traits(), {}, kept, assumed_costs(traits())))
    EXPECT_TRUE(placement.supported);
  const Counts once = kept.counts();
  EXPECT_EQ(once.size(), whole->nodes.size());
  const auto step = extract_step(*whole, std::vector<uint32_t>{0, 1, 2, 3}).plan;
  const Resolution resolution = resolved(*step);
  const auto linked = build_programs({*step, resolution, &kept}, traits(), {}, 0);
  EXPECT_EQ(kept.counts(), once);
  const auto fresh = build_programs({*step, resolution}, traits(), {}, 0);
  ASSERT_TRUE(linked && fresh);
  EXPECT_EQ(lines_of(linked->main), lines_of(fresh->main));
  EXPECT_EQ(lines_of(linked->preparation), lines_of(fresh->preparation));
  EXPECT_FALSE(linked->preparation.dispatches.empty());
}

// A step is a plan of its own, with fewer tensors and other tensor ids than the whole plan.
TEST(KeptEmissions, TellTheTimesOfAStepOfThePlanTheyWereMadeFor) {
  const auto whole = residual_network({1, 5, 7, 4}, 3);
  KeptEmissions kept;
  place_nodes(*whole, traits(), {}, kept, assumed_costs(traits()));
  const Counts once = kept.counts();
  const auto last = static_cast<uint32_t>(whole->nodes.size() - 1);
  const auto step = extract_step(*whole, std::vector<uint32_t>{last - 2, last - 1, last}).plan;
  ASSERT_LT(step->tensors.size(), whole->tensors.size());
  KeptEmissions fresh;
  const auto expected = place_nodes(*step, traits(), {}, fresh, assumed_costs(traits()));
  const auto placed = place_nodes(*step, traits(), {}, kept, assumed_costs(traits()));
  EXPECT_EQ(kept.counts(), once);
  ASSERT_EQ(placed.size(), expected.size());
  for (size_t n = 0; n < placed.size(); ++n) EXPECT_EQ(placed[n].predicted_seconds, expected[n].predicted_seconds) << n;
}

// x * x with this activation.
std::shared_ptr<const Plan> product(const Shape& shape, int32_t activation) {
  PlanFixture f;
  const TensorId x = f.input(shape);
  f.node(OperationCode::kMul, {x, x, f.scalar(activation)}, {f.output(shape)});
  return f.plan();
}

TEST(KeptEmissions, DoNotServeNodesThatDiffer) {
  KeptEmissions kept;
  size_t emitted = 0;
  const auto place = [&](const std::shared_ptr<const Plan>& plan) {
    EXPECT_TRUE(place_nodes(*plan, traits(), {}, kept, assumed_costs(traits())).front().supported);
    return kept.counts().at(0);
  };
  const auto plain = product({4}, 0);
  EXPECT_EQ(place(plain), ++emitted);
  EXPECT_EQ(place(plain), emitted);
  EXPECT_EQ(place(product({8}, 0)), ++emitted) << "another shape";
  EXPECT_EQ(place(product({4}, 1)), ++emitted) << "another parameter";
  auto fused = std::make_shared<Plan>(*plain);
  fused->nodes[0].fused_activation = FusedActivation::kRelu;
  EXPECT_EQ(place(fused), ++emitted) << "another activation";
  auto two = std::make_shared<Plan>(*plain);
  two->tensors.push_back(two->tensors[0]);
  two->tensors.back().io_index = 1;
  two->inputs.push_back(static_cast<TensorId>(two->tensors.size() - 1));
  two->nodes[0].inputs[1] = two->inputs[1];
  EXPECT_EQ(place(two), ++emitted) << "not the same tensor twice";
  auto quantized = std::make_shared<Plan>(*plain);
  for (const TensorId id : {quantized->inputs[0], quantized->outputs[0]}) {
    quantized->tensors[id].info.type = OperandType::kTensorQuant8Asymm;
    quantized->tensors[id].info.scale = 1.0F;
  }
  EXPECT_EQ(place(quantized), ++emitted) << "another type";
  EXPECT_EQ(place(plain), emitted);
}

}  // namespace
}  // namespace nnvk::vulkan
