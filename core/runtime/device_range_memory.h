// Memory objects for memory that clients already have on a device: a range of bytes, which has a size but no roles, or an image.
#pragma once

#include <functional>
#include <memory>

#include "core/base/result.h"
#include "core/runtime/device.h"
#include "core/runtime/memory.h"

namespace nnvk {

// Makes a memory of the client from bytes on a device. Clients may bind `readable` memory to inputs and `writable` memory to
// outputs.
std::unique_ptr<Memory> make_device_range_memory(std::unique_ptr<DeviceMemory> bytes, bool readable, bool writable);

// Makes an image usable as `tensor`, or returns BAD_DATA. Clients bind an image as a whole; only the device knows its bytes. nnvk
// may call `prepare` as long as the memory lives.
using PrepareImage = std::function<Status(const OperandInfo& tensor, bool is_input)>;
std::unique_ptr<Memory> make_device_image_memory(std::unique_ptr<DeviceMemory> image, bool readable, bool writable,
                                                 PrepareImage prepare);

}  // namespace nnvk
