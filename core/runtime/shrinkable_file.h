// A file behind a memory that somebody may make shorter while it is used. Touching a mapping behind the end of its file ends the
// process by a signal (SIGBUS): the size is looked at before every use, and whoever trusts nobody reads and writes the file
// instead of mapping it.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>

#include "core/base/file_descriptor.h"
#include "core/runtime/device.h"

namespace nnvk {

// `size` bytes at `offset` of a file. As memory of a device it is read and written by system calls, which fail where a mapping
// would raise a signal: executions over it pass through host memory (host_transfer.h). Thread-safe.
class ShrinkableFile final : public DeviceMemory {
 public:
  // `protection`: PROT_* that the client has allowed.
  ShrinkableFile(std::shared_ptr<const FileDescriptor> fd, size_t offset, size_t size, int protection)
      : fd_(std::move(fd)), offset_(offset), size_(size), protection_(protection) {}

  // UNMAPPABLE when the file ends before the memory does. One system call.
  Status check() const;

  uint64_t size() const override { return size_; }
  // Done when they return. UNMAPPABLE when the file has become too short or cannot be read or written.
  Result<Fence> read_from(uint64_t offset, std::span<std::byte> host) const override;
  Result<Fence> write_to(uint64_t offset, std::span<const std::byte> host) override;

 private:
  const std::shared_ptr<const FileDescriptor> fd_;
  const size_t offset_;
  const size_t size_;
  const int protection_;
};

// A regular file that is not sealed against becoming shorter. Everything else that can be mapped keeps its size (dma-bufs, sealed
// memfds) or has none (character devices).
bool can_shrink(int fd);

}  // namespace nnvk
