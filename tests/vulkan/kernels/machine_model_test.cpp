// What is assumed of GPUs, from what their drivers tell. No GPU.
#include "vulkan/kernels/machine_model.h"

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

}  // namespace
}  // namespace nnvk::vulkan
