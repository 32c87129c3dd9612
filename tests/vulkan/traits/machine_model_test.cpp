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

TEST(MachineModel, AProbeOverridesWhatIsTypical) {
  Machine machine{.kind = MachineKind::kDiscrete, .compute_units = 40, .lanes_per_unit = 64};
  const uint64_t wanted = wanted_invocations(machine);
  machine.speed = MachineSpeed{.multiply_adds_per_second = 1e12,
                               .bytes_per_second = 2e11,
                               .uploaded_bytes_per_second = 1e10,
                               .seconds_per_dispatch = 3e-6,
                               .seconds_per_submission = 4e-5};
  EXPECT_EQ(peak_multiply_adds(machine), 1e12);
  EXPECT_EQ(bytes_per_second(machine), 2e11);
  EXPECT_EQ(assumed_costs(machine).seconds_per_node, 3e-6);
  EXPECT_GE(assumed_costs(machine).seconds_per_multiply_add, 1e-12);
  EXPECT_EQ(wanted_invocations(machine), wanted) << "the choice of kernels must not differ from run to run";
  const TransferCosts transfers = transfer_costs(*machine.speed);
  EXPECT_EQ(transfers.seconds_per_step, 4e-5);
  EXPECT_GT(transfers.seconds_per_byte, 1e-10) << "the host copies too";
}

TEST(MachineModel, VendorsWithoutFiguresShareThoseOfTheKind) {
  for (const MachineKind kind :
       {MachineKind::kSoftware, MachineKind::kDiscrete, MachineKind::kIntegrated, MachineKind::kMobile}) {
    for (const GpuVendor vendor :
         {GpuVendor::kAmd, GpuVendor::kNvidia, GpuVendor::kIntel, GpuVendor::kArm, GpuVendor::kQualcomm}) {
      const Machine machine{.kind = kind, .vendor = vendor};
      EXPECT_GT(peak_multiply_adds(machine), 0);
      EXPECT_GT(bytes_per_second(machine), 0);
    }
    EXPECT_EQ(bytes_per_second({.kind = kind, .vendor = GpuVendor::kArm}) == bytes_per_second({.kind = kind}),
              kind != MachineKind::kMobile);
  }
}

// An H100 has 132 multiprocessors, 33.5 million million multiply-adds per second and 3.35 TB/s.
TEST(MachineModel, ALargeGpuIsNotFarFromItsDataSheet) {
  const Machine machine{
      .kind = MachineKind::kDiscrete, .compute_units = 132, .lanes_per_unit = 128, .vendor = GpuVendor::kNvidia};
  EXPECT_NEAR(peak_multiply_adds(machine) / 33.5e12, 1, 0.25);
  EXPECT_GT(bytes_per_second(machine), 3.35e12 / 3);
  EXPECT_LT(bytes_per_second(machine), 3.35e12);
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
