// Which variant of a kernel a device runs, and which of several kernels. Pure.
#pragma once

#include <cstdint>
#include <span>

#include "core/base/result.h"
#include "vulkan/kernels/device_traits.h"
#include "vulkan/kernels/dispatch.h"
#include "vulkan/kernels/typed_kernel.h"

namespace nnvk::vulkan {

// What a dispatch puts behind a binding.
struct BoundBytes {
  ViewFormat format = ViewFormat::kWords;
  uint64_t bytes = 0;  // with padding
};

// Whether the binding is a uniform texel buffer, else a storage buffer.
constexpr bool is_texel_binding(KernelVariant variant, BindingKind kind) {
  return reads_texels(variant) && kind == BindingKind::kInput;
}

// The module of a variant that the kernel has.
const KernelModule& module_of(const KernelInfo& kernel, KernelVariant variant);

// RESOURCE_EXHAUSTED_PERSISTENT with the reason when the device does not run this form of the kernel with these bindings.
Status check_runs(const KernelInfo& kernel, const KernelModule& module, std::span<const BoundBytes> bound,
                  const DeviceTraits& traits);

// The first variant of the kernel that this device runs with these bindings, of which there are as many as the kernel has. A
// variant that needs a feature which the device lacks, or more than its limits, gives way to the next.
// RESOURCE_EXHAUSTED_PERSISTENT when none is left, with the reason why the last one does not run.
Result<KernelVariant> choose_variant(const KernelInfo& kernel, std::span<const BoundBytes> bound, const DeviceTraits& traits);

// Whether the device has the features of some variant of the kernel. Kernels without features run everywhere.
bool has_features_of(const KernelInfo& kernel, const DeviceTraits& traits);

// `preferred` where the device has the features that it needs, else `fallback`, which takes the same.
template <class Shape>
TypedKernel<Shape> available(TypedKernel<Shape> preferred, TypedKernel<Shape> fallback, const DeviceTraits& traits) {
  return has_features_of(kernel_info(preferred.id), traits) ? preferred : fallback;
}

}  // namespace nnvk::vulkan
