// Which kernels the CPU devices say that they run nodes on.
#include "cpu_fallback/placement.h"

#include <gtest/gtest.h>

#include "tests/support/plan_fixture.h"

namespace nnvk::test {
namespace {

Placement place(const PlanFixture& m, bool use_optimized) {
  return cpu::place_nodes(*m.plan(), cpu::assumed_costs(), use_optimized).front();
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

}  // namespace
}  // namespace nnvk::test
