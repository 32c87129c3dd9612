// Explains in words why a dispatch has its kernel and form, for readers of `nnvk kernels`. Pure; decides nothing.
#pragma once

#include <cstdint>
#include <span>
#include <string>

#include "vulkan/kernels/dispatch.h"
#include "vulkan/kernels/kernel_choice.h"
#include "vulkan/traits/device_traits.h"

namespace nnvk::vulkan {

// Returns the reason for a choice: the emitter's reason (Dispatch::choice), the reason for the variant, and the numbers of
// invocations and groups. Example: "8 pixels x 2 vectors ...; texel: the first form that the device runs; 294,912 invocations in
// 9,216 work groups".
std::string choice_reason(const Dispatch& dispatch, KernelVariant variant, std::span<const BoundBytes> bound,
                          const DeviceTraits& traits);

// Returns the number with commas: "9,216".
std::string grouped_digits(uint64_t number);

}  // namespace nnvk::vulkan
