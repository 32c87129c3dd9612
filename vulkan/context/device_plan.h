// Decides how nnvk uses a device, from its snapshot alone. Pure: tests pass invented snapshots.
#pragma once

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <string>
#include <vector>

#include "core/base/result.h"
#include "vulkan/context/device_snapshot.h"
#include "vulkan/context/plan_overrides.h"
#include "vulkan/context/quirks.h"
#include "vulkan/traits/device_traits.h"

namespace nnvk::vulkan {

// The use of a buffer decides which memory type it gets. The values equal those of NnvkVkMemoryRole, which applications know.
enum class MemoryUse : uint8_t {
  kDevice,   // only the GPU touches it
  kUpload,   // the host writes it once, then the GPU reads it (weights); only with DevicePlan::direct_upload
  kIo,       // host and GPU both read and write it; only with DevicePlan::direct_io
  kStaging,  // host side of copies
};

struct DevicePlan {
  uint32_t queue_family = 0;
  std::vector<std::string> extensions;  // extensions to enable
  bool timeline_semaphore = false;      // completion by timeline semaphore, else by fences
  bool sync_files = false;              // executions export and wait for kernel fences (kernel_fences.h)
  bool pipeline_feedback = false;       // the driver reports which pipelines it found in its cache
  bool pipeline_statistics = false;     // the driver reports statistics of pipelines; only with PlanOverrides::compile_only
  bool timestamps = false;
  uint32_t timestamp_valid_bits = 0;
  bool calibrated_timestamps = false;        // the driver relates timestamps to CLOCK_MONOTONIC
  bool direct_upload = false;                // weights are written in place, else copied from a staging buffer
  bool direct_io = false;                    // inputs and outputs lie in memory that host and GPU both access at full speed
  bool one_dispatch_per_submission = false;  // else cut by time (submission_cuts.h)
  bool one_submission = false;               // executions are never cut
  // If the device completes nothing for this long, nnvk treats it as lost; 0: never.
  std::chrono::milliseconds longest_standstill{60'000};
  uint64_t host_import_alignment = 0;  // of client memory that is imported instead of copied; 0: no imports
  bool imports_dma_bufs = false;       // frames in dma-bufs need no mapping on the host
  uint64_t io_alignment = 256;         // of inputs and outputs inside a buffer that kernels use in place
  uint64_t max_allocation_bytes = 0;
  DeviceTraits traits;
  std::vector<const Quirk*> quirks;

  // Returns whether a quirk of the driver needs this workaround.
  bool needs(Workaround workaround) const {
    return std::any_of(quirks.begin(), quirks.end(), [&](const Quirk* quirk) { return quirk->workaround == workaround; });
  }
};

// Returns the plan for the device. UNAVAILABLE_DEVICE, with the reason, if the device is below the minimum: Vulkan 1.1, a compute
// queue, 128 bytes of push constants, host-visible memory.
Result<DevicePlan> device_plan(const DeviceSnapshot& snapshot, const PlanOverrides& overrides = {});

// Returns the memory type to try first for `use` among those in `type_bits` (VkMemoryRequirements::memoryTypeBits).
// RESOURCE_EXHAUSTED_PERSISTENT when no type fits.
Result<uint32_t> choose_memory_type(const DeviceSnapshot& snapshot, uint32_t type_bits, MemoryUse use);

}  // namespace nnvk::vulkan
