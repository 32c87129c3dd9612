// Memory behind descriptors that others made: its properties, checks of access, and mappings.
#pragma once

#include <sys/types.h>

#include <cstddef>
#include <cstdint>
#include <span>

#include "core/base/file_descriptor.h"
#include "nativewindow/frame_layout.h"

namespace nnvk::nativewindow {

// The properties of a descriptor that determine whether its memory can be shared.
struct MemoryFacts {
  bool is_dma_buf = false;
  uint64_t size = 0;
  bool readable = false;
  bool writable = false;
  bool may_shrink = false;  // access beyond its end would kill the process
  bool can_be_sealed = false;
  dev_t device = 0;  // with the inode: equal for descriptors of the same memory
  ino_t inode = 0;
};

// Reads the facts of a descriptor. Reports a problem if it is no descriptor or a file that is no memory; the text names it
// `name`.
Problem examine(int fd, const std::string& name, MemoryFacts& facts);

// Reports a problem unless the memory fits `usage`: it must not be able to shrink, and must permit the wanted reads and writes.
// `flags` (nnvk_FrameFlag) may permit more, and may make this function seal the memory.
Problem check_access(int fd, const std::string& name, const MemoryFacts& facts, uint64_t usage, uint32_t flags);

// Maps parts of memories side by side, as long as this object lives. Pages between the parts are zeros.
class PartsMapping {
 public:
  PartsMapping() = default;
  ~PartsMapping();
  PartsMapping(const PartsMapping&) = delete;
  PartsMapping& operator=(const PartsMapping&) = delete;

  // Maps `size` bytes at `parts`, whose descriptors are in `memories`. Returns a negative errno, and leaves nothing mapped, when
  // mapping fails.
  int map(std::span<const FramePart> parts, std::span<const FileDescriptor> memories, uint64_t size, bool writable);
  // Returns the address of the mapping; null before map().
  std::byte* address() const { return address_; }

 private:
  std::byte* address_ = nullptr;
  uint64_t size_ = 0;
};

// Begins the CPU's access to a dma-buf, or ends it if `end`. `usage`: AHARDWAREBUFFER_USAGE_CPU_* bits. Returns a negative errno
// on failure.
int synchronise_dma_buf(int fd, uint64_t usage, bool end);

}  // namespace nnvk::nativewindow
