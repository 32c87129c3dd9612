// Memory in an Android hardware buffer.
#pragma once

#include <memory>

#include "api/handles.h"
#include "core/runtime/memory.h"

namespace nnvk::api {

// Keeps a reference to the buffer. A BLOB is memory of `width` bytes, used in place. Buffers of other formats may be set as
// inputs and outputs (offset and length 0): R8G8B8A8, R8G8B8X8, R8G8B8 and Y8Cb8Cr8_420 are pictures that inputs take; every
// other execution or copy fails with UNMAPPABLE.
// OP_FAILED when no library with hardware buffers is loaded in this process, BAD_DATA when `buffer` is none of its buffers.
Result<std::unique_ptr<Memory>> make_hardware_buffer_memory(const AHardwareBuffer* buffer);

}  // namespace nnvk::api
