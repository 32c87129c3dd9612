// Named workarounds for drivers. Every workaround is a row of this table: code checks the device plan, never the vendor.
#pragma once

#include <cstdint>
#include <span>
#include <string_view>

#include "vulkan/context/device_snapshot.h"

namespace nnvk::vulkan {

// How code works around a quirk; code checks DevicePlan::needs().
enum class Workaround {
  kNone,                    // reported only; code does nothing
  kNotInChildrenOfFork,     // after fork, a child does not touch a device that its parent has used
  kOwnPipelineCacheHeader,  // pipeline cache data that ends within its header is replaced by a header alone
};

struct Quirk {
  std::string_view id;     // short words with hyphens, shown by `nnvk devices`
  VkDriverId driver;       // which driver has it
  uint32_t first_version;  // affected driver versions, inclusive, in the driver's own encoding
  uint32_t last_version;
  std::string_view reason;
  Workaround workaround = Workaround::kNone;
};

std::span<const Quirk> quirk_table();

// Returns whether `quirk` is about the device of `snapshot`.
bool applies(const Quirk& quirk, const DeviceSnapshot& snapshot);

}  // namespace nnvk::vulkan
