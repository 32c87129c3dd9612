// Forms of kernels that a device runs slower than what they take the place of: found by running products with and without each of
// them, when somebody asks for a calibration, and left out from then on. Choices by size and traits alone are guesses about GPUs.
#pragma once

#include <functional>
#include <span>
#include <string>
#include <vector>

#include "core/base/result.h"
#include "core/plan/resolve.h"
#include "core/plan/rewrites.h"
#include "core/runtime/device.h"
#include "vulkan/kernels/device_traits.h"

namespace nnvk::vulkan {

// What the last calibration of this device has kept of its choices (MeasuredCosts::choices); empty: nothing.
using KeptChoices = std::function<std::vector<std::byte>(const DeviceInfo& device)>;

// Forms as calibrations keep them, and back; what is no list of forms is none.
std::vector<std::byte> kept_bytes(KernelForms forms);
KernelForms kept_forms(std::span<const std::byte> bytes);

// Seconds of each plan on a device that leaves out the forms `slower`.
using TimePlans = std::function<Result<std::vector<double>>(KernelForms slower, const std::vector<PlanPointer>& plans)>;

// Of the forms that a device with these traits chooses for products of some size, those that take longer than without them. Asks
// `time` for no form that is never chosen. Errors: those of `time`.
Result<KernelForms> find_slower_forms(const DeviceTraits& traits, const HostEvaluator& evaluator, const TimePlans& time);

// "leaves out kernels tiles, split: measured to be slower"; empty for none.
std::string describe_slower(KernelForms forms);

}  // namespace nnvk::vulkan
