// Memory behind descriptors that others made: what it is, whether it may be touched, and mappings of it.
#pragma once

#include <sys/types.h>

#include <cstddef>
#include <cstdint>
#include <span>

#include "core/base/file_descriptor.h"
#include "nativewindow/frame_layout.h"

namespace nnvk::nativewindow {

// What a descriptor is, as far as sharing memory goes.
struct MemoryFacts {
  bool is_dma_buf = false;
  uint64_t size = 0;
  bool readable = false;
  bool writable = false;
  bool may_shrink = false;  // touching it behind its end would kill the process
  bool can_be_sealed = false;
  dev_t device = 0;  // with the inode: equal for descriptors of the same memory
  ino_t inode = 0;
};

// `name` is how the text calls the descriptor. The facts of no descriptor, of a file that is no memory: a problem.
Problem examine(int fd, const std::string& name, MemoryFacts& facts);

// A problem unless the memory may be used as `usage` says: it cannot shrink, and may be read and written as wanted. `flags`
// (nnvk_FrameFlag) may allow more, and may seal it.
Problem check_access(int fd, const std::string& name, const MemoryFacts& facts, uint64_t usage, uint32_t flags);

// Parts of memories, mapped side by side until this goes. Pages between them are zeros.
class PartsMapping {
 public:
  PartsMapping() = default;
  ~PartsMapping();
  PartsMapping(const PartsMapping&) = delete;
  PartsMapping& operator=(const PartsMapping&) = delete;

  // `size` bytes at `parts`, of which `memories` has the descriptors. Negative errno when mapping fails; nothing is left then.
  int map(std::span<const FramePart> parts, std::span<const FileDescriptor> memories, uint64_t size, bool writable);
  // Null before map().
  std::byte* address() const { return address_; }

 private:
  std::byte* address_ = nullptr;
  uint64_t size_ = 0;
};

// Before and after the CPU touches a dma-buf (`end`), with these AHARDWAREBUFFER_USAGE_CPU_* bits. Negative errno.
int synchronise_dma_buf(int fd, uint64_t usage, bool end);

}  // namespace nnvk::nativewindow
