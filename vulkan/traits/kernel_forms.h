// Forms of kernels that can be requested by name in place of the choice by size and device, so that tests can run every form on
// any device. NNVK_VULKAN_KERNELS holds a comma-separated list of them. Plain data.
#pragma once

#include <algorithm>
#include <cstdint>
#include <initializer_list>
#include <optional>
#include <string>
#include <string_view>

#include "vulkan/traits/enum_set.h"

namespace nnvk::vulkan {

enum class KernelForm : uint8_t {
  kHardware,        // choices as for a GPU, on software Vulkan too
  kSingleSlices,    // one invocation folds a slice (slice_choice.h)
  kGroupSlices,     // a work group shares a slice, through shared memory
  kSubgroupSlices,  // like kGroupSlices, but lanes add up with subgroup operations, if the device has them
  kSingleSteps,     // a dispatch per time step of recurrent layers (lstm_choice.h)
  kPlainProducts,   // convolutions and matrix products in float32, even if the device has faster ways
  kDot,             // 8-bit products by integer dot products, if the device has them (dot_choice.h)
  kHalf,            // float products in halves, if type or model permit it and the device has them (half_choice.h)
  kTiles,           // float products through shared memory, if kernels can (group_tile.h)
  kSplit,           // products of few pixels with their sums split among invocations, if kernels can (split_sum.h)
  kMatrix,          // 8-bit and float products by cooperative matrices, if type or model and device permit (matrix_choice.h)
};
using KernelForms = EnumSet<KernelForm>;

inline constexpr std::initializer_list<KernelForm> kKernelForms = {
    KernelForm::kHardware,    KernelForm::kSingleSlices,  KernelForm::kGroupSlices, KernelForm::kSubgroupSlices,
    KernelForm::kSingleSteps, KernelForm::kPlainProducts, KernelForm::kDot,         KernelForm::kHalf,
    KernelForm::kTiles,       KernelForm::kSplit,         KernelForm::kMatrix};
inline constexpr KernelForms kAllKernelForms = kKernelForms;

constexpr std::string_view name_of(KernelForm form) {
  switch (form) {
    case KernelForm::kHardware:
      return "hardware";
    case KernelForm::kSingleSlices:
      return "single_slices";
    case KernelForm::kGroupSlices:
      return "group_slices";
    case KernelForm::kSubgroupSlices:
      return "subgroup_slices";
    case KernelForm::kSingleSteps:
      return "single_steps";
    case KernelForm::kPlainProducts:
      return "plain_products";
    case KernelForm::kDot:
      return "dot";
    case KernelForm::kHalf:
      return "half";
    case KernelForm::kTiles:
      return "tiles";
    case KernelForm::kSplit:
      return "split";
    case KernelForm::kMatrix:
      return "matrix";
  }
  return "";
}

// "hardware, group_slices"; empty for none.
inline std::string names_of(KernelForms forms) { return names_of(forms, kKernelForms); }

// The forms named in a comma-separated list. nullopt if a name is not that of a form.
inline std::optional<KernelForms> kernel_forms_of(std::string_view list) {
  KernelForms forms;
  while (!list.empty()) {
    const std::string_view name = list.substr(0, list.find(','));
    list.remove_prefix(std::min(list.size(), name.size() + 1));
    bool known = name.empty();
    for (const KernelForm form : kKernelForms) {
      if (name_of(form) != name) continue;
      forms.insert(form);
      known = true;
    }
    if (!known) return std::nullopt;
  }
  return forms;
}

}  // namespace nnvk::vulkan
