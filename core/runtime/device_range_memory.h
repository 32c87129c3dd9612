// Memory that clients have on a device already: a range of bytes there that has a size and no roles.
#pragma once

#include <memory>

#include "core/base/result.h"
#include "core/runtime/device.h"
#include "core/runtime/memory.h"

namespace nnvk {

// `readable`: may be bound to inputs; `writable`: to outputs.
std::unique_ptr<Memory> make_device_range_memory(std::unique_ptr<DeviceMemory> bytes, bool readable, bool writable);

}  // namespace nnvk
