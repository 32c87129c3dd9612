// Dma-bufs as Vulkan buffers, through VK_EXT_external_memory_dma_buf: the same memory, without the host's view of it. For drivers
// that import no host memory with a file behind it, which are most.
#pragma once

#include "core/base/result.h"
#include "core/runtime/mapped_memory.h"
#include "vulkan/memory/buffer.h"

namespace nnvk::vulkan {

// A buffer over all of `dma_buf` from its offset on, `bytes` at least, which is not mapped. The descriptor stays the caller's,
// the memory is the buffer's for as long as it lives. The error says what the driver refuses.
Result<Buffer> import_dma_buf(std::shared_ptr<Context> context, const MappedMemory::DmaBuf& dma_buf, uint64_t bytes,
                              Activity& activity);

}  // namespace nnvk::vulkan
