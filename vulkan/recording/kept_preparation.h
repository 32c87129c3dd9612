// What a compilation cache holds of a plan prepared on a Vulkan device: the driver's pipeline cache, which pipelines it knows,
// and packed weights. Plain data and its form in a file; no Vulkan calls.
//
// Raw constants and tables are not in it: both come with the plan at no cost, so that keeping them would only make files larger.
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

// The result of packing that ConstantKey{kPacked, node, key} names.
struct KeptWeights {
  uint32_t node = 0;
  std::string key;
  std::span<const std::byte> bytes;
};

struct KeptPreparation {
  std::span<const std::byte> driver_cache;  // of vkGetPipelineCacheData
  std::vector<PipelineKey> pipelines;       // what the plan runs
  std::vector<KeptWeights> weights;
};

std::vector<std::byte> encode(const KeptPreparation& kept);

// Views into `bytes`. nullopt when anything does not fit together, or the driver's cache was made by another device or driver.
// Whether weights have the sizes that the plan wants is for ConstantStore::check to say.
std::optional<KeptPreparation> decode(std::span<const std::byte> bytes, const DeviceSnapshot& device);

}  // namespace nnvk::vulkan
