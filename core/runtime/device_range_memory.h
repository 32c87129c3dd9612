// Memory that clients have on a device already: a range of bytes there that has a size and no roles, or an image.
#pragma once

#include <functional>
#include <memory>

#include "core/base/result.h"
#include "core/runtime/device.h"
#include "core/runtime/memory.h"

namespace nnvk {

// `readable`: may be bound to inputs; `writable`: to outputs.
std::unique_ptr<Memory> make_device_range_memory(std::unique_ptr<DeviceMemory> bytes, bool readable, bool writable);

// An image is bound as a whole; only the device knows its bytes. `prepare` prepares it for tensors of a kind; BAD_DATA when it
// cannot be such a tensor. It may be called as long as the memory lives.
using PrepareImage = std::function<Status(const OperandInfo& tensor, bool is_input)>;
std::unique_ptr<Memory> make_device_image_memory(std::unique_ptr<DeviceMemory> image, bool readable, bool writable,
                                                 PrepareImage prepare);

}  // namespace nnvk
