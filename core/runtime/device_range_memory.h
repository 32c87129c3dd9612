// Memory objects for memory that clients already have on a device: a range of bytes, which has a size but no roles, or an image.
#pragma once

#include <functional>
#include <memory>

#include "core/base/result.h"
#include "core/runtime/device.h"
#include "core/runtime/memory.h"

namespace nnvk {

// Makes an image usable as `tensor`, or returns BAD_DATA. nnvk may call it as long as the memory lives.
using PrepareImage = std::function<Status(const OperandInfo& tensor, bool is_input)>;

// Makes a memory of the client from bytes on a device. Clients may bind `readable` memory to inputs and `writable` memory to
// outputs. With `prepare_image`, the bytes are an image, which clients bind as a whole; only the device knows its bytes.
std::unique_ptr<Memory> make_device_range_memory(std::unique_ptr<DeviceMemory> bytes, bool readable, bool writable,
                                                 PrepareImage prepare_image = nullptr);

}  // namespace nnvk
