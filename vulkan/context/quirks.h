// Named workarounds for drivers. A workaround exists only as a row of this table: code asks the device plan, never the vendor.
#pragma once

#include <cstdint>
#include <span>
#include <string_view>

#include "vulkan/context/device_snapshot.h"

namespace nnvk::vulkan {

// What code does about a quirk; it asks DevicePlan::needs().
enum class Workaround {
  kNone,                    // to be told, nothing to be done
  kNotInChildrenOfFork,     // a child of fork whose parent has used the device leaves it alone
  kOwnPipelineCacheHeader,  // data of a pipeline cache that ends within its header is replaced by a header alone
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

// Whether `quirk` is about the device of `snapshot`.
bool applies(const Quirk& quirk, const DeviceSnapshot& snapshot);

}  // namespace nnvk::vulkan
