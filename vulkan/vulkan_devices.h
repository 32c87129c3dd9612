// Finds the Vulkan devices of this machine. Loads the Vulkan loader at run time; without loader or driver the list is empty.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "core/plan/resolve.h"
#include "core/runtime/device.h"
#include "vulkan/context/device_snapshot.h"
#include "vulkan/context/plan_overrides.h"
#include "vulkan/slower_forms.h"

namespace nnvk::vulkan {

// Returns devices in Vulkan's order; their first uses open them. Their names are "vulkan-<driver or device name>", made unique
// with "-2" and so on. Leaves out devices below the minimum (Vulkan 1.1, a compute queue) and logs why. `evaluator`: computes
// parameters inside a model. `overrides`: for tests; an unset variant comes from NNVK_VULKAN_VARIANT, unset forms from
// NNVK_VULKAN_KERNELS. `kept` (may be null): results of calibrations, for devices without `overrides.slower`. `opened` (may
// be null): called after each opening of a VkDevice; exit handlers registered there run before those of the driver.
std::vector<std::unique_ptr<Device>> discover_devices(const HostEvaluator& evaluator, PlanOverrides overrides = {},
                                                      const KeptChoices& kept = nullptr, void (*opened)() = nullptr);

// Returns the forms that a calibration found to be slower on the device with this name; none without a calibration.
KernelForms kept_slower_forms(const std::string& name, const DeviceSnapshot& snapshot, const PlanOverrides& overrides,
                              const KeptChoices& kept);

}  // namespace nnvk::vulkan
