// Figures of plugins as ratios to the CPU.
#include "accelerators/performance.h"

#include <gtest/gtest.h>

#include "tests/support/plan_fixture.h"

namespace nnvk::accelerators {
namespace {

double time_of(OperandType type, bool relaxed = false) {
  DeviceDescription device;
  device.operands[static_cast<int32_t>(OperandType::kTensorFloat32)] = {2.0F, 1.0F};
  device.operands[static_cast<int32_t>(OperandType::kTensorQuant8Asymm)] = {0.25F, 1.0F};
  device.operands[static_cast<int32_t>(OperandType::kTensorInt32)] = {0.0F, 1.0F};
  device.relaxed_tensor = {0.5F, 1.0F};
  test::PlanFixture f;
  f.node(OperationCode::kRelu, {f.input({4}, type)}, {f.output({4}, type)});
  f.raw().relaxed = relaxed;
  return relative_time(device, f.raw(), f.raw().nodes[0]);
}

TEST(PerformanceFigures, AreThoseOfTheFirstInputsType) {
  EXPECT_EQ(time_of(OperandType::kTensorFloat32), 2.0);
  EXPECT_EQ(time_of(OperandType::kTensorQuant8Asymm), 0.25);
}

TEST(PerformanceFigures, RelaxedFloatsHaveTheirOwn) { EXPECT_EQ(time_of(OperandType::kTensorFloat32, true), 0.5); }

TEST(PerformanceFigures, WhatIsNotSaidIsAsOnTheCpuAndNothingTakesNoTime) {
  EXPECT_EQ(time_of(OperandType::kTensorFloat16), 1.0);
  EXPECT_GT(time_of(OperandType::kTensorInt32), 0.0);
}

}  // namespace
}  // namespace nnvk::accelerators
