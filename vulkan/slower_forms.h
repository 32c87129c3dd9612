// Finds forms of kernels that are slower on a device than the kernels they replace. A calibration runs products with and without
// each form; nnvk then stops choosing the slow ones. Choices by size and traits alone are guesses about GPUs.
#pragma once

#include <functional>
#include <span>
#include <string>
#include <vector>

#include "core/base/result.h"
#include "core/plan/resolve.h"
#include "core/plan/rewrites.h"
#include "core/runtime/device.h"
#include "vulkan/traits/device_traits.h"

namespace nnvk::vulkan {

// The choices that the last calibration of this device kept (MeasuredCosts::choices); empty: none.
using KeptChoices = std::function<std::vector<std::byte>(const DeviceInfo& device)>;

// These functions encode forms as calibrations store them, and decode them. Invalid bytes decode to no forms.
std::vector<std::byte> kept_bytes(KernelForms forms);
KernelForms kept_forms(std::span<const std::byte> bytes);

// Measures the seconds of each plan on a device that does not use the forms `slower`.
using TimePlans = std::function<Result<std::vector<double>>(KernelForms slower, const std::vector<PlanPointer>& plans)>;

// Returns the forms that make products slower on a device with these traits. Times only forms that the device chooses for
// products of some size. Errors: those of `time`.
Result<KernelForms> find_slower_forms(const DeviceTraits& traits, const HostEvaluator& evaluator, const TimePlans& time);

// Returns a text such as "leaves out kernels tiles, split: measured to be slower"; empty for none.
std::string describe_slower(KernelForms forms);

}  // namespace nnvk::vulkan
