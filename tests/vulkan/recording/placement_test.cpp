// The Vulkan device's support answers, before any compilation: they need no device.
#include "vulkan/placement.h"

#include <gtest/gtest.h>

#include "core/runtime/sample_plans.h"
#include "cpu_fallback/assumed_costs.h"
#include "cpu_fallback/reference_device.h"
#include "tests/support/plan_fixture.h"

namespace nnvk::vulkan {
namespace {

// Keypoints of one box in a square heatmap with this side.
std::shared_ptr<const Plan> heatmap(uint32_t side) {
  test::PlanFixture f;
  const TensorId map = f.input({1, side, side, 1});
  const TensorId boxes = f.input({1, 4});
  f.node(OperationCode::kHeatmapMaxKeypoint, {map, boxes, f.flag(false)}, {f.output({1, 1}), f.output({1, 1, 2})});
  return f.plan();
}

Placement place(const Plan& plan, const DeviceTraits& traits, const CostModel& costs,
                const HostEvaluator& evaluator = cpu::reference_evaluator()) {
  KeptEmissions kept;
  const std::vector<Placement> placements = place_nodes(plan, traits, evaluator, kept, costs);
  EXPECT_EQ(placements.size(), plan.nodes.size());
  return placements.front();
}

Placement place(const Plan& plan, const HostEvaluator& evaluator = cpu::reference_evaluator()) {
  return place(plan, DeviceTraits{}, assumed_costs(DeviceTraits{}), evaluator);
}

// One row of `in` features times a matrix.
std::shared_ptr<const Plan> fully_connected(uint32_t rows, uint32_t in, uint32_t units) {
  test::PlanFixture f;
  f.node(OperationCode::kFullyConnected, {f.input({rows, in}), f.input({units, in}), f.input({units}), f.scalar(0)},
         {f.output({rows, units})});
  return f.plan();
}

TEST(Placement, DeclinesShapesThatItsKernelsWouldRefuse) {
  EXPECT_TRUE(place(*heatmap(800)).supported);
  EXPECT_FALSE(place(*heatmap(900)).supported);
  EXPECT_NE(place(*heatmap(900)).reason.find("too long"), std::string::npos) << place(*heatmap(900)).reason;
  EXPECT_FALSE(place(*heatmap(900), HostEvaluator()).supported) << "nothing has to be evaluated";
}

TEST(Placement, DeclinesWhatOneInvocationWouldNotGetThrough) {
  const auto normalization = [](int32_t radius) {
    test::PlanFixture f;
    const auto number = [&](float value) { return f.constant<float>({}, OperandType::kFloat32, {value}); };
    f.node(OperationCode::kLocalResponseNormalization,
           {f.input({1, 1, 1, 20'000}), f.scalar(radius), number(1.0F), number(0.5F), number(0.5F)},
           {f.output({1, 1, 1, 20'000})});
    return place(*f.plan());
  };
  EXPECT_TRUE(normalization(3).supported);
  const Placement declined = normalization(20'000);
  EXPECT_FALSE(declined.supported);
  EXPECT_NE(declined.reason.find("a radius of 20000 elements"), std::string::npos) << declined.reason;
}

TEST(Placement, DeclinesTensorsBeyondTheBuffersOfTheDevice) {
  const auto relu = [](uint32_t elements) {
    test::PlanFixture f;
    f.node(OperationCode::kRelu, {f.input({elements})}, {f.output({elements})});
    return place(*f.plan());
  };
  EXPECT_TRUE(relu(1000).supported);
  const Placement declined = relu(40'000'000);
  EXPECT_FALSE(declined.supported);
  EXPECT_NE(declined.reason.find("bytes exceeds the device's"), std::string::npos) << declined.reason;
}

TEST(Placement, GivesShapesThatAreOpenTheBenefitOfTheDoubt) { EXPECT_TRUE(place(*heatmap(kUnknownDimension)).supported); }

TEST(Placement, PredictsThatALargerRecurrentLayerTakesLonger) {
  const auto seconds = [](uint32_t units) {
    test::PlanFixture f;
    f.node(OperationCode::kRnn,
           {f.input({1, units}), f.input({units, units}), f.input({units, units}), f.input({units}), f.input({1, units}),
            f.scalar(0)},
           {f.output({1, units}), f.output({1, units})});
    return place(*f.plan()).predicted_seconds;
  };
  const double per_node = seconds(1);
  const double products = 2.0 * 1024 * 1024 * assumed_costs(Machine{}).seconds_per_multiply_add;
  EXPECT_GT(seconds(1024) - per_node, 0.99 * products) << "its products count, not only its bytes";
}

TEST(Placement, PredictsOfAGpuWhatItsDispatchesRead) {
  const double one = place(*fully_connected(1, 2048, 4096)).predicted_seconds;
  EXPECT_GT(one, 2048.0 * 4096 * sizeof(float) / bytes_per_second(Machine{})) << "the weights come from memory";
  const double many = place(*fully_connected(64, 2048, 4096)).predicted_seconds;
  EXPECT_LT(many, 32 * one) << "rows share them";
}

TEST(Placement, PredictsThatDotProductsAreFaster) {
  const auto seconds = [](KernelFeatures features, bool fast) {
    test::PlanFixture f;
    constexpr OperandType kBytes = OperandType::kTensorQuant8Asymm;
    const TensorId bias = f.constant({512}, OperandType::kTensorInt32, std::vector<int32_t>(512), 0.25F);
    f.node(OperationCode::kFullyConnected,
           {f.input({4096, 512}, kBytes, 0.5F), f.constant({512, 512}, kBytes, std::vector<uint8_t>(512 * 512), 0.5F), bias,
            f.scalar(0)},
           {f.output({4096, 512}, kBytes, 1.0F)});
    DeviceTraits traits;
    traits.features = features;
    traits.fast_dot_products = fast;
    return place(*f.plan(), traits, assumed_costs(traits)).predicted_seconds;
  };
  EXPECT_LT(seconds({KernelFeature::kDotProduct}, true), seconds({}, false));
}

TEST(Placement, PredictsBySizeWhatWasMeasuredAndWhatTheProcessorEmulates) {
  const auto plan = fully_connected(1, 2048, 4096);
  const NodeView node = declared_view(*plan, plan->nodes.front());
  MeasuredCosts costs;
  costs.rates[cost_class(node.view(), KernelKind::kOwn)] = {3.0, 0, 0, 0};
  CostModel measured = assumed_costs(DeviceTraits{});
  measured.use(costs);
  EXPECT_DOUBLE_EQ(place(*plan, DeviceTraits{}, measured).predicted_seconds, 3.0);
  DeviceTraits software;
  software.machine.kind = MachineKind::kSoftware;
  const CostModel of_software = assumed_costs(software);
  EXPECT_DOUBLE_EQ(place(*plan, software, of_software).predicted_seconds,
                   of_software.predicted_seconds(node.view(), KernelKind::kOwn));
}

TEST(Placement, AFactorOnPredictionsHoldsForDispatchesToo) {
  CostModel slower = assumed_costs(DeviceTraits{});
  slower.multiply_by(10);
  const auto plan = fully_connected(1, 16, 16);
  EXPECT_DOUBLE_EQ(place(*plan, DeviceTraits{}, slower).predicted_seconds, 10 * place(*plan).predicted_seconds);
}

// Without a calibration, software Vulkan must not win operations for which the processor has its own kernels, even on slow
// processors. A GPU must win worthwhile operations from two cores with wide vectors.
TEST(Placement, AssumedCostsOrderSoftwareProcessorAndHardware) {
  DeviceTraits software;
  software.machine.kind = MachineKind::kSoftware;
  const CostModel of_software = assumed_costs(software);
  const CostModel of_cpu = cpu::assumed_costs({.float_lanes = 16, .has_byte_products = true, .threads = 2});
  const CostModel of_slow_cpu = cpu::assumed_costs({.float_lanes = 4, .has_byte_products = false, .threads = 1});
  for (const PlanPointer& sample : sample_plans()) {
    const NodeView node = declared_view(*sample, sample->nodes.front());
    const double on_cpu = of_cpu.predicted_seconds(node.view(), KernelKind::kOwn);
    EXPECT_LT(of_slow_cpu.predicted_seconds(node.view(), KernelKind::kOwn),
              of_software.predicted_seconds(node.view(), KernelKind::kOwn));
    if (cost_sizes(node.view())[1] > 1e7) {
      EXPECT_LT(place(*sample).predicted_seconds, on_cpu) << operation_name(sample->nodes.front().code);
    }
  }
}

TEST(Placement, LeavesWhatIsWrongWithValuesToTheExecution) {
  test::PlanFixture f;
  const TensorId x = f.input({2, 3});
  f.node(OperationCode::kSoftmax, {x, f.constant<float>({}, OperandType::kFloat32, {1.0F}), f.scalar(7)}, {f.output({2, 3})});
  EXPECT_TRUE(place(*f.plan()).supported) << "there is no axis 7";
  test::PlanFixture g;
  const TensorId tiny = g.input({4}, OperandType::kTensorQuant8Asymm, 1e-20F);
  g.node(OperationCode::kTanh, {tiny}, {g.output({4}, OperandType::kTensorQuant8Asymm, 1.0F / 128, 128)});
  EXPECT_TRUE(place(*g.plan()).supported) << "its emitter refuses the scale";
}

}  // namespace
}  // namespace nnvk::vulkan
