// Disables optional paths, so that tests can run every fallback on any device.
#pragma once

#include <chrono>
#include <optional>

#include "kernel_table.h"  // generated: KernelVariant
#include "vulkan/traits/kernel_forms.h"

namespace nnvk::vulkan {

struct PlanOverrides {
  // Kernels use this variant if they have it, else kWords; unset: the best one.
  std::optional<KernelVariant> variant = std::nullopt;
  bool force_staging = false;           // no direct host access to device memory
  bool force_fence_completion = false;  // no timeline semaphore
  KernelForms forms = {};               // replaces the choice by size and device
  KernelForms slower = {};              // DeviceTraits::slower, as a calibration found them
  bool force_many_submissions = false;  // every dispatch is a submission of its own
  bool force_one_submission = false;    // executions are never cut, however long they take
  bool compile_only = false;            // kernels are chosen, compiled and inspected, but never run: needs no memory
  std::optional<std::chrono::milliseconds> longest_standstill = std::nullopt;  // see DevicePlan
  std::optional<uint32_t> queue_family = std::nullopt;                         // an application's choice; unset: nnvk chooses
};

}  // namespace nnvk::vulkan
