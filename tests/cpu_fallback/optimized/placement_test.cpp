// The kernels on which the CPU devices claim to run nodes.
#include "cpu_fallback/host_device.h"

#include <gtest/gtest.h>

#include "cpu_fallback/assumed_costs.h"
#include "tests/support/plan_fixture.h"

namespace nnvk::test {
namespace {

Placement place(const PlanFixture& m, bool use_optimized) {
  return cpu::place_nodes(*m.plan(), cpu::assumed_costs({.float_lanes = 8}), use_optimized).front();
}

PlanFixture fully_connected(uint32_t declared_outputs) {
  PlanFixture m;
  const TensorId weights = m.constant({32, 64}, OperandType::kTensorFloat32, std::vector<float>(32 * 64, 1.0F));
  const TensorId bias = m.constant({32}, OperandType::kTensorFloat32, std::vector<float>(32, 1.0F));
  m.node(OperationCode::kFullyConnected, {m.input({4, 64}), weights, bias, m.scalar(0)}, {m.output({4, declared_outputs})});
  return m;
}

TEST(CpuPlacement, TellsFastKernelsFromTheReferences) {
  const Placement fast = place(fully_connected(32), true);
  const Placement reference = place(fully_connected(32), false);
  EXPECT_EQ(fast.kernel, KernelKind::kOwn);
  EXPECT_EQ(reference.kernel, KernelKind::kReference);
  EXPECT_LT(fast.predicted_seconds, reference.predicted_seconds);
}

TEST(CpuPlacement, MakesNoKernelsForNodesWhoseShapesContradictEachOther) {
  const Placement wrong = place(fully_connected(33), true);
  EXPECT_TRUE(wrong.supported) << "the execution says what is wrong";
  EXPECT_EQ(wrong.kernel, KernelKind::kReference);
  EXPECT_EQ(place(fully_connected(kUnknownDimension), true).kernel, KernelKind::kReference);
}

double assumed_seconds(const PlanFixture& m, const cpu::ProcessorTraits& processor) {
  return cpu::place_nodes(*m.plan(), cpu::assumed_costs(processor), true).front().predicted_seconds;
}

PlanFixture product(OperandType type) {
  PlanFixture m;
  m.node(OperationCode::kFullyConnected, {m.input({100, 400}, type), m.input({500, 400}, type), m.input({500}), m.scalar(0)},
         {m.output({100, 500}, type)});
  return m;
}

TEST(CpuPlacement, WiderVectorsAndMoreThreadsAreExpectedToBeFaster) {
  const auto floats = [](const cpu::ProcessorTraits& p) { return assumed_seconds(product(OperandType::kTensorFloat32), p); };
  const auto bytes = [](const cpu::ProcessorTraits& p) { return assumed_seconds(product(OperandType::kTensorQuant8Asymm), p); };
  const double narrow = floats({.float_lanes = 4});
  EXPECT_NEAR(floats({.float_lanes = 16}), narrow / 4, narrow * 0.01);
  EXPECT_LT(floats({.float_lanes = 4, .threads = 2}), narrow / 1.5);
  EXPECT_GT(floats({.float_lanes = 4, .threads = 2}), narrow / 2) << "a second thread does not double everything";
  EXPECT_EQ(floats({.float_lanes = 0, .threads = 0}), floats({.float_lanes = 1, .threads = 1}));
  EXPECT_LT(bytes({.float_lanes = 16, .has_byte_products = true}), bytes({.float_lanes = 16}));
  EXPECT_LT(bytes({.float_lanes = 16}), floats({.float_lanes = 16}));
  EXPECT_EQ(cpu::assumed_costs({}).transfers(), kTransfersInPlace);
}

}  // namespace
}  // namespace nnvk::test
