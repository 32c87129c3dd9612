#include "vulkan/kernels/choice_reason.h"

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
