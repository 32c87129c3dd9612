// Imports client memory once per mapping and device: as a dma-buf if it is one, else through VK_EXT_external_memory_host.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>

#include "core/base/result.h"
#include "core/runtime/mapped_memory.h"
#include "vulkan/memory/io_buffer.h"

namespace nnvk::vulkan {

// A range of whole units of the import alignment.
struct ImportRange {
  uintptr_t begin = 0;
  uint64_t size = 0;
};

// Returns the range to import for `size` bytes at `address`, all of whose pages are mapped. Pure. If the import is impossible,
// the error gives the reason: the driver needs units larger than pages (`alignment` 0: it cannot import at all), or the range
// exceeds its largest allocation.
Result<ImportRange> import_range(uintptr_t address, uint64_t size, uint64_t page, uint64_t alignment, uint64_t largest);

// Imports a dma-buf through VK_EXT_external_memory_dma_buf, without a mapping on the host. Many drivers need this, because they
// cannot import file-backed host memory. Makes an unmapped buffer over all of `dma_buf` from its offset on, at least `bytes`. The
// caller keeps the descriptor; the buffer keeps the memory alive. The error gives the reason why the driver refuses.
Result<Buffer> import_dma_buf(std::shared_ptr<Context> context, const MappedMemory::DmaBuf& dma_buf, uint64_t bytes,
                              Activity& activity);

class HostImport final : public MappedMemory::Attachment, public OutlivesDevice {
 public:
  ~HostImport() override;
  HostImport(const HostImport&) = delete;
  HostImport& operator=(const HostImport&) = delete;
  // The buffer over the memory behind `mapping`; null if the driver refuses it. Tries once per mapping and context and remembers
  // success and failure. The buffer keeps the mapping alive and lives as long as the mapping.
  static std::shared_ptr<const IoBuffer> of(const std::shared_ptr<MappedMemory>& mapping, const std::shared_ptr<Context>& context,
                                            Activity& activity);

 private:
  explicit HostImport(std::shared_ptr<Context> context);
  void let_go() override { buffer_.reset(); }

  std::shared_ptr<Context> context_;  // the attachment is found by the context's address, so the context must stay alive
  std::optional<IoBuffer> buffer_;
};

}  // namespace nnvk::vulkan
