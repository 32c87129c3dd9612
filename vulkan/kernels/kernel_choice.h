// Chooses the variant of a kernel that a device runs, by features and limits, and explains the choice in words. Pure.
#pragma once

#include <cstdint>
#include <span>
#include <string>

#include "core/base/result.h"
#include "vulkan/kernels/dispatch.h"
#include "vulkan/traits/device_traits.h"

namespace nnvk::vulkan {

// The data behind a binding of a dispatch.
struct BoundBytes {
  ViewFormat format = ViewFormat::kWords;
  uint64_t bytes = 0;  // including padding
};

// Returns whether the binding is a uniform texel buffer, else a storage buffer.
constexpr bool is_texel_binding(KernelVariant variant, BindingKind kind) {
  return reads_texels(variant) && kind == BindingKind::kInput;
}

// Returns the module of a variant, which the kernel must have.
const KernelModule& module_of(const KernelInfo& kernel, KernelVariant variant);

// Returns RESOURCE_EXHAUSTED_PERSISTENT with the reason if the device cannot run this form of the kernel with these bindings.
Status check_runs(const KernelInfo& kernel, const KernelModule& module, std::span<const BoundBytes> bound,
                  const DeviceTraits& traits);

// Returns the first variant of the kernel that this device runs. `bound`: one per binding of the kernel. Skips variants that need
// a feature which the device lacks, or exceed the device's limits. If none is left, RESOURCE_EXHAUSTED_PERSISTENT says why the
// last variant does not run.
Result<KernelVariant> choose_variant(const KernelInfo& kernel, std::span<const BoundBytes> bound, const DeviceTraits& traits);

// Returns whether the device has the features of some variant of the kernel. Kernels without features run everywhere.
bool has_features_of(const KernelInfo& kernel, const DeviceTraits& traits);

// Returns the reason for a choice, for readers of `nnvk kernels`: the emitter's reason (Dispatch::choice), the reason for the
// variant, and the numbers of invocations and groups. Example: "8 pixels x 2 vectors ...; texel: the first form that the device
// runs; 294,912 invocations in 9,216 work groups".
std::string choice_reason(const Dispatch& dispatch, KernelVariant variant, std::span<const BoundBytes> bound,
                          const DeviceTraits& traits);

// Returns the number with commas: "9,216".
std::string grouped_digits(uint64_t number);

}  // namespace nnvk::vulkan
