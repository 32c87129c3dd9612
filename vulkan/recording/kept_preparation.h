// The data that a compilation cache stores for a plan prepared on a Vulkan device: the driver's pipeline cache, the list of its
// pipelines, and packed weights. It lacks raw constants, which are in the plan, and tables, which emitters make anyway. Plain
// data and its file format; no Vulkan calls.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "vulkan/context/device_snapshot.h"
#include "vulkan/recording/pipelines.h"

namespace nnvk::vulkan {

// The result of packing named by ConstantKey{kPacked, node, key}.
struct KeptWeights {
  uint32_t node = 0;
  std::string key;
  std::span<const std::byte> bytes;
};

struct KeptPreparation {
  std::span<const std::byte> driver_cache;  // what vkGetPipelineCacheData returned
  std::vector<PipelineKey> pipelines;       // all that the plan runs
  std::vector<KeptWeights> weights;
};

std::vector<std::byte> encode(const KeptPreparation& kept);

// Returns views into `bytes`. nullopt if any part is inconsistent, or if another device or driver made the driver's cache.
// ConstantStore::check() later checks the weights' sizes against the plan.
std::optional<KeptPreparation> decode(std::span<const std::byte> bytes, const DeviceSnapshot& device);

}  // namespace nnvk::vulkan
