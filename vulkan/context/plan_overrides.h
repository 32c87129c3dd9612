// Turns optional paths off, so that every fallback can be tested on any device.
#pragma once

#include <chrono>
#include <optional>

#include "kernel_table.h"  // generated: KernelVariant
#include "vulkan/kernels/kernel_forms.h"

namespace nnvk::vulkan {

struct PlanOverrides {
  // Kernels take this variant where they have it, else kWords; unset: the best.
  std::optional<KernelVariant> variant = std::nullopt;
  bool force_staging = false;           // no direct host access to device memory
  bool force_fence_completion = false;  // no timeline semaphore
  KernelForms forms = {};               // instead of what size and device would choose
  KernelForms slower = {};              // what a calibration has found (DeviceTraits)
  bool force_many_submissions = false;  // every dispatch is a submission of its own
  bool force_one_submission = false;    // for every execution, however long it takes
  bool compile_only = false;            // kernels are chosen, compiled and looked at, nothing runs: no memory is needed
  std::optional<std::chrono::milliseconds> longest_standstill = std::nullopt;  // see DevicePlan
  std::optional<uint32_t> queue_family = std::nullopt;                         // an application's choice; unset: ours
};

}  // namespace nnvk::vulkan
