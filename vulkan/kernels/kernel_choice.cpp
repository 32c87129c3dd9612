#include "vulkan/kernels/kernel_choice.h"

#include <algorithm>

#include "vulkan/kernels/kernel_emitter.h"

namespace nnvk::vulkan {
namespace {

std::string variant_reason(const KernelInfo& kernel, KernelVariant variant, std::span<const BoundBytes> bound,
                           const DeviceTraits& traits) {
  const std::string name(name_of(variant));
  if (kernel.modules.size() == 1) return name + ": its only form";
  if (kernel.modules.front().variant == variant) return name + ": its best form";
  const Status better = check_runs(kernel, kernel.modules.front(), bound, traits);
  const std::string other(name_of(kernel.modules.front().variant));
  return name + ", not " + other + (better ? "" : ": " + better.error().message);
}

}  // namespace

const KernelModule& module_of(const KernelInfo& kernel, KernelVariant variant) {
  return *std::ranges::find(kernel.modules, variant, &KernelModule::variant);
}

Status check_runs(const KernelInfo& kernel, const KernelModule& module, std::span<const BoundBytes> bound,
                  const DeviceTraits& traits) {
  if (!traits.variants.contains(module.variant)) {
    return beyond_device("the device runs no " + std::string(name_of(module.variant)) + " kernels");
  }
  if (const std::string missing = names_of(module.features - traits.features); !missing.empty()) {
    return beyond_device("it needs " + missing + ", which the device lacks");
  }
  uint32_t storage_buffers = 0;
  for (size_t b = 0; b < bound.size(); ++b) {
    const uint64_t bytes = bound[b].bytes;
    if (is_texel_binding(module.variant, kernel.bindings[b].kind)) {
      if (bytes / texel_bytes(bound[b].format) <= traits.max_texel_elements) continue;
      return beyond_device("a tensor of " + std::to_string(bytes) + " bytes exceeds the device's texel buffers");
    }
    ++storage_buffers;
    if (bytes <= traits.max_storage_range) continue;
    return beyond_device("a tensor of " + std::to_string(bytes) + " bytes exceeds the device's storage buffer range of " +
                         std::to_string(traits.max_storage_range));
  }
  if (storage_buffers <= traits.max_storage_buffers) return {};
  return beyond_device("it binds " + std::to_string(storage_buffers) + " storage buffers, the device offers a shader " +
                       std::to_string(traits.max_storage_buffers));
}

Result<KernelVariant> choose_variant(const KernelInfo& kernel, std::span<const BoundBytes> bound, const DeviceTraits& traits) {
  Status last;
  for (const KernelModule& module : kernel.modules) {
    last = check_runs(kernel, module, bound, traits);
    if (last) return module.variant;
  }
  return fail(last.error());
}

bool has_features_of(const KernelInfo& kernel, const DeviceTraits& traits) {
  return std::any_of(kernel.modules.begin(), kernel.modules.end(), [&](const KernelModule& module) {
    return traits.variants.contains(module.variant) && traits.features.contains(module.features);
  });
}

std::string grouped_digits(uint64_t number) {
  std::string text = std::to_string(number);
  for (size_t at = text.size(); at > 3; at -= 3) text.insert(at - 3, ",");
  return text;
}

std::string choice_reason(const Dispatch& dispatch, KernelVariant variant, std::span<const BoundBytes> bound,
                          const DeviceTraits& traits) {
  const KernelInfo& kernel = kernel_info(dispatch.kernel);
  const uint64_t groups = uint64_t{dispatch.groups[0]} * dispatch.groups[1] * dispatch.groups[2];
  const uint64_t per_group = uint64_t{kernel.local_size[0]} * kernel.local_size[1] * kernel.local_size[2];
  std::string reason = dispatch.choice.empty() ? "" : dispatch.choice + "; ";
  reason += variant_reason(kernel, variant, bound, traits);
  return reason + "; " + grouped_digits(groups) + (groups == 1 ? " work group of " : " work groups of ") +
         std::to_string(per_group);
}

}  // namespace nnvk::vulkan
