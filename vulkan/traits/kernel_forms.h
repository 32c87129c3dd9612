// Forms of kernels. A request by name replaces the choice by size and device, so that tests can run every form on any device.
// NNVK_VULKAN_KERNELS holds the requested names, separated by commas. Plain data.
#pragma once

#include <algorithm>
#include <cstdint>
#include <initializer_list>
#include <optional>
#include <string>
#include <string_view>

#include "vulkan/traits/enum_set.h"

namespace nnvk::vulkan {

// X(enumerator, name)
#define NNVK_KERNEL_FORMS(X)                                                                                            \
  X(kHardware, "hardware")              /* choices as for a GPU, on software Vulkan too */                              \
  X(kSingleSlices, "single_slices")     /* one invocation folds a slice (slice_choice.h) */                             \
  X(kGroupSlices, "group_slices")       /* a work group shares a slice, through shared memory */                        \
  X(kSubgroupSlices, "subgroup_slices") /* like kGroupSlices, but lanes add up with subgroup operations, if possible */ \
  X(kSingleSteps, "single_steps")       /* a dispatch per time step of recurrent layers (lstm_choice.h) */              \
  /* Of products, if kernels, device, and type or model permit them (products/forms.h). */                              \
  X(kPlainProducts, "plain_products") /* sums in registers, in float32, even if the device has faster ways */           \
  X(kDot, "dot")                      /* bytes by integer dot products */                                               \
  X(kHalf, "half")                    /* floats as halves */                                                            \
  X(kTiles, "tiles")                  /* floats through shared memory */                                                \
  X(kSplit, "split")                  /* sums of few pixels, split among invocations */                                 \
  X(kMatrix, "matrix")                /* bytes and floats by cooperative matrices */

enum class KernelForm : uint8_t {
#define NNVK_FORM(form, name) form,
  NNVK_KERNEL_FORMS(NNVK_FORM)
#undef NNVK_FORM
};
using KernelForms = EnumSet<KernelForm>;

inline constexpr std::initializer_list<KernelForm> kKernelForms = {
#define NNVK_FORM(form, name) KernelForm::form,
    NNVK_KERNEL_FORMS(NNVK_FORM)
#undef NNVK_FORM
};
inline constexpr KernelForms kAllKernelForms = kKernelForms;

constexpr std::string_view name_of(KernelForm form) {
  constexpr std::string_view kNames[] = {
#define NNVK_FORM(form, name) name,
      NNVK_KERNEL_FORMS(NNVK_FORM)
#undef NNVK_FORM
  };
  return kNames[static_cast<size_t>(form)];
}

// Returns the names of the forms, "hardware, group_slices"; empty for none.
inline std::string names_of(KernelForms forms) { return names_of(forms, kKernelForms); }

// Returns the forms named in a comma-separated list, or nullopt if the list has a name that no form has.
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
