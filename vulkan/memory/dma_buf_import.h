// Imports dma-bufs as Vulkan buffers through VK_EXT_external_memory_dma_buf, without a mapping on the host. Many drivers need
// this, because they cannot import file-backed host memory.
#pragma once

#include "core/base/result.h"
#include "core/runtime/mapped_memory.h"
#include "vulkan/memory/buffer.h"

namespace nnvk::vulkan {

// Makes an unmapped buffer over all of `dma_buf` from its offset on, at least `bytes`. The caller keeps the descriptor; the
// buffer keeps the memory alive. The error gives the reason why the driver refuses.
Result<Buffer> import_dma_buf(std::shared_ptr<Context> context, const MappedMemory::DmaBuf& dma_buf, uint64_t bytes,
                              Activity& activity);

}  // namespace nnvk::vulkan
