// Memory in an Android hardware buffer.
#pragma once

#include <nnvk/hardware_buffer.h>

#include <memory>
#include <span>

#include "api/handles.h"
#include "core/runtime/memory.h"

namespace nnvk::api {

// Keeps a reference to the buffer. A BLOB is memory of `width` bytes, used in place. Buffers of other formats may be set as
// inputs and outputs (offset and length 0): those that nnvk/picture.h names are pictures that inputs take; every other execution
// or copy fails with UNMAPPABLE.
// OP_FAILED when no library with hardware buffers is loaded in this process, BAD_DATA when `buffer` is none of its buffers.
Result<std::unique_ptr<Memory>> make_hardware_buffer_memory(const AHardwareBuffer* buffer);

// The same with a buffer that nnvk_HardwareBuffer_createFromFds makes over `fds` (its contract, but a usage of 0 is
// CPU_READ_OFTEN; the descriptors stay the caller's), by our libnativewindow.so, which is loaded if it is not. OP_FAILED: that is
// not there, or a fourcc or modifier is unknown. BAD_DATA: whatever else is wrong with the layout or the descriptors.
Result<std::unique_ptr<Memory>> make_frame_memory(const nnvk_FrameLayout& layout, std::span<const int> fds);

}  // namespace nnvk::api
