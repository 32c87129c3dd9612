// A file behind a memory that another process may shorten. An access to a mapping behind the end of its file ends the process
// (SIGBUS). So nnvk checks the size before every use, or reads and writes the file without a mapping if it must not trust others.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>

#include "core/base/file_descriptor.h"
#include "core/runtime/device.h"

namespace nnvk {

// `size` bytes at `offset` of a file, as a device memory: system calls read and write it, and fail in cases in which a mapping
// would raise a signal. Executions over it pass through host memory (host_transfer.h). Thread-safe.
class ShrinkableFile final : public DeviceMemory {
 public:
  // `protection`: PROT_* that the client has allowed.
  ShrinkableFile(std::shared_ptr<const FileDescriptor> fd, size_t offset, size_t size, int protection)
      : fd_(std::move(fd)), offset_(offset), size_(size), protection_(protection) {}

  // Returns UNMAPPABLE if the file ends before the memory does. Makes one system call.
  Status check() const;

  uint64_t size() const override { return size_; }
  // Both functions transfer the bytes before they return a settled fence. UNMAPPABLE if the file is too short or inaccessible.
  Result<Fence> read_from(uint64_t offset, std::span<std::byte> host) const override;
  Result<Fence> write_to(uint64_t offset, std::span<const std::byte> host) override;

 private:
  const std::shared_ptr<const FileDescriptor> fd_;
  const size_t offset_;
  const size_t size_;
  const int protection_;
};

// Returns UNMAPPABLE if the protection (PROT_*) that the client has allowed excludes the access, as mmap would.
Status check_protection(int protection, bool is_to_write);

// Returns true for a regular file that is not sealed against becoming shorter. All other kinds that can be mapped keep their size
// (dma-bufs, sealed memfds) or have none (character devices).
bool can_shrink(int fd);

}  // namespace nnvk
