// Finds the Vulkan devices of this machine. Loads the Vulkan loader at run time; without loader or driver the list is empty.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "core/plan/resolve.h"
#include "core/runtime/device.h"
#include "kernel_table.h"  // generated: KernelVariant

namespace nnvk::vulkan {

struct DiscoveryOptions {
  // Kernels take this variant where they have it (tests); unset: the best.
  std::optional<KernelVariant> variant = std::nullopt;
  bool force_staging = false;           // no direct host access to device memory (tests)
  bool force_fence_completion = false;  // no timeline semaphores (tests)
  bool force_hardware_kernels = false;  // software Vulkan runs the kernel forms meant for GPUs (tests)
  bool force_many_submissions = false;  // executions are cut as finely as can be (tests)
  HostEvaluator host_evaluator;         // evaluates parameters computed inside a model
};

// In Vulkan's order. Names are "vulkan-<driver or device name>", made unique with "-2" and so on. A device that lacks the floor
// (Vulkan 1.1, a compute queue) is left out, with a log line that says why.
std::vector<std::unique_ptr<Device>> discover_devices(const DiscoveryOptions& options);

}  // namespace nnvk::vulkan
