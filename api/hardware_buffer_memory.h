// Memory in an Android hardware buffer.
#pragma once

#include <nnvk/hardware_buffer.h>

#include <memory>
#include <span>

#include "core/runtime/memory.h"

namespace nnvk::api {

// Makes a memory that keeps a reference to the buffer. A BLOB is memory of `width` bytes, used in place. Clients may set buffers
// of other formats as inputs and outputs (offset and length 0). Inputs take them as pictures if nnvk/picture.h names the format;
// all else fails with UNMAPPABLE. OP_FAILED: no library with hardware buffers is loaded. BAD_DATA: `buffer` is none of its
// buffers.
Result<std::unique_ptr<Memory>> make_hardware_buffer_memory(const AHardwareBuffer* buffer);

// Makes a buffer over `fds` with nnvk_HardwareBuffer_createFromFds of nnvk's libnativewindow.so, loading that if needed, then its
// memory. That function's contract holds, but a usage of 0 is CPU_READ_OFTEN. The caller keeps the descriptors. OP_FAILED: the
// library is missing, or a fourcc or modifier is unknown. BAD_DATA: any other error of the layout or the descriptors.
Result<std::unique_ptr<Memory>> make_frame_memory(const nnvk_FrameLayout& layout, std::span<const int> fds);

}  // namespace nnvk::api
