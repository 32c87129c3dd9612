// Assumptions about GPUs, derived from the properties that their drivers report. No GPU.
#include "vulkan/traits/machine_model.h"

#include <gtest/gtest.h>

namespace nnvk::vulkan {
namespace {

TEST(MachineModel, TwiceTheUnitsAreTwiceAsFast) {
  const Machine small{.kind = MachineKind::kDiscrete, .compute_units = 20, .lanes_per_unit = 64};
  Machine large = small;
  large.compute_units = 40;
  EXPECT_DOUBLE_EQ(peak_multiply_adds(large), 2 * peak_multiply_adds(small));
  EXPECT_DOUBLE_EQ(assumed_costs(small).seconds_per_multiply_add, 2 * assumed_costs(large).seconds_per_multiply_add);
  EXPECT_EQ(wanted_invocations(large), 2 * wanted_invocations(small));
}

TEST(MachineModel, UnitsWithMemoryOfTheirOwnShareMoreBandwidth) {
  for (const MachineKind kind : {MachineKind::kDiscrete, MachineKind::kIntegrated, MachineKind::kMobile}) {
    const Machine usual{.kind = kind};
    const Machine large{.kind = kind, .compute_units = 144};
    if (kind == MachineKind::kDiscrete) {
      EXPECT_DOUBLE_EQ(bytes_per_second(large), 4 * bytes_per_second(usual));
    } else {
      EXPECT_DOUBLE_EQ(bytes_per_second(large), bytes_per_second(usual)) << "that of the system";
    }
  }
}

TEST(MachineModel, WhatADriverDoesNotTellComesFromTheKind) {
  const Machine discrete{.kind = MachineKind::kDiscrete};
  const Machine integrated{.kind = MachineKind::kIntegrated};
  const Machine mobile{.kind = MachineKind::kMobile};
  EXPECT_GT(peak_multiply_adds(discrete), peak_multiply_adds(integrated));
  EXPECT_GT(peak_multiply_adds(integrated), peak_multiply_adds(mobile));
  EXPECT_LT(assumed_costs(discrete).seconds_per_element, assumed_costs(mobile).seconds_per_element);
}

TEST(MachineModel, SoftwareIsSlowerThanAnyGpu) {
  const AssumedCosts software = assumed_costs(Machine{.kind = MachineKind::kSoftware});
  for (const MachineKind kind : {MachineKind::kDiscrete, MachineKind::kIntegrated, MachineKind::kMobile}) {
    const AssumedCosts gpu = assumed_costs(Machine{.kind = kind});
    EXPECT_GT(software.seconds_per_multiply_add, gpu.seconds_per_multiply_add);
    EXPECT_GT(software.seconds_per_element, gpu.seconds_per_element);
  }
  EXPECT_LT(wanted_invocations(Machine{.kind = MachineKind::kSoftware}),
            wanted_invocations(Machine{.kind = MachineKind::kMobile}));
}

TEST(PredictedDispatch, TakesAsLongAsItsProductsOrItsMemory) {
  const Machine machine{.kind = MachineKind::kDiscrete, .compute_units = 40, .lanes_per_unit = 64};
  const double empty = predicted_seconds({.invocations = 1 << 20}, machine);
  const DispatchWork products{.multiply_adds = 1 << 30, .bytes = 1 << 20, .invocations = 1 << 20};
  DispatchWork memory = products;
  memory.bytes = 1 << 30;
  EXPECT_DOUBLE_EQ(predicted_seconds(products, machine) - empty, (1 << 30) * assumed_costs(machine).seconds_per_multiply_add);
  EXPECT_GT(predicted_seconds(memory, machine), (1 << 30) / bytes_per_second(machine));
  EXPECT_GT(predicted_seconds(memory, machine), predicted_seconds(products, machine));
}

TEST(PredictedDispatch, ARooflineHasNoIdleLanesAndNoWaits) {
  const Machine machine{.kind = MachineKind::kDiscrete, .compute_units = 40, .lanes_per_unit = 64};
  const DispatchWork products{.multiply_adds = 1 << 30, .gain = 2, .bytes = 1 << 10, .invocations = 1};
  EXPECT_DOUBLE_EQ(roofline_seconds(products, machine), (1 << 30) / (2 * peak_multiply_adds(machine)));
  const DispatchWork memory{.multiply_adds = 1, .bytes = 1 << 30, .invocations = 1};
  EXPECT_DOUBLE_EQ(roofline_seconds(memory, machine), (1 << 30) / bytes_per_second(machine));
  EXPECT_GT(predicted_seconds({.multiply_adds = 1 << 30, .invocations = 1 << 20}, machine),
            roofline_seconds({.multiply_adds = 1 << 30}, machine));
}

TEST(PredictedDispatch, FastProductsTakeLess) {
  const Machine machine{.kind = MachineKind::kDiscrete};
  const DispatchWork floats{.multiply_adds = 1 << 30, .invocations = 1 << 20};
  DispatchWork bytes = floats;
  bytes.gain = kDotProductGain;
  const double empty = predicted_seconds({}, machine);
  EXPECT_NEAR(predicted_seconds(floats, machine) - empty, kDotProductGain * (predicted_seconds(bytes, machine) - empty), 1e-9);
}

TEST(PredictedDispatch, IdleLanesMakeItLonger) {
  const Machine machine{.kind = MachineKind::kDiscrete, .compute_units = 40, .lanes_per_unit = 64};
  const uint64_t enough = wanted_invocations(machine);
  const auto seconds = [&](uint64_t invocations) {
    return predicted_seconds({.multiply_adds = 1 << 30, .invocations = invocations}, machine) - predicted_seconds({}, machine);
  };
  EXPECT_DOUBLE_EQ(seconds(4 * enough), seconds(enough));
  EXPECT_NEAR(seconds(enough / 8), 4 * seconds(enough), 1e-9);
  EXPECT_GT(seconds(0), 0);
}

TEST(PredictedDispatch, AFewSubgroupsAtOnceDoNotHideTheLatencyOfMemory) {
  const Machine machine{.kind = MachineKind::kDiscrete};
  DispatchWork work{.multiply_adds = 1 << 30, .bytes = 1 << 20, .invocations = 1 << 20};
  const double unknown = predicted_seconds(work, machine);
  work.subgroups_per_simd = 8;
  EXPECT_DOUBLE_EQ(predicted_seconds(work, machine), unknown);
  work.subgroups_per_simd = 1;
  EXPECT_GT(predicted_seconds(work, machine), 2 * unknown);
}

}  // namespace
}  // namespace nnvk::vulkan
