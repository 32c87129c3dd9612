// A hardware buffer: shared memory with a description; and the table of all buffers for which this process has handles.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <mutex>
#include <optional>
#include <span>
#include <unordered_map>
#include <vector>

#include "core/base/file_descriptor.h"
#include "nativewindow/description.h"
#include "nativewindow/shared_memory.h"

namespace nnvk::nativewindow {

class Buffer {
 public:
  // Makes a new buffer of zeros. Returns layout_of()'s errors; -ENOMEM if it exceeds the machine's memory or cannot be allocated.
  static int allocate(const AHardwareBuffer_Desc& description, std::shared_ptr<Buffer>& buffer);
  // Makes a buffer over memory of another process, which may be hostile. Returns -EINVAL unless the memory has exactly the size
  // that the description needs, and nobody can truncate it or seal it against this process's writes. Maps nothing.
  static int adopt(const AHardwareBuffer_Desc& description, uint64_t id, FileDescriptor memory, std::shared_ptr<Buffer>& buffer);

  // Makes a buffer over a frame in existing memory: of this program, or (with `id`) from a peer, who is not trusted.
  static Problem wrap(const nnvk_FrameLayout& frame, std::vector<FileDescriptor> memories, std::optional<uint64_t> id,
                      std::shared_ptr<Buffer>& buffer);

  Buffer(const Buffer&) = delete;
  Buffer& operator=(const Buffer&) = delete;

  const AHardwareBuffer_Desc& description() const { return description_; }  // with the stride
  const Layout& layout() const { return layout_; }
  uint64_t id() const { return id_; }
  std::span<const FileDescriptor> memories() const { return memories_; }
  // Returns the layout that wrap() received, with one descriptor per memory; null for other buffers.
  const nnvk_FrameLayout* frame() const { return frame_ ? &*frame_ : nullptr; }
  // Returns whether other processes may receive the memory: only if it can never shrink.
  bool may_be_sent() const { return !trusts_size_; }

  bool is_writable() const { return !frame_ || (description_.usage & AHARDWAREBUFFER_USAGE_CPU_WRITE_MASK) != 0; }
  // The dma-buf that holds the content, and the content's offset in it; null if several hold it, or none.
  struct DmaBuf {
    int fd;
    uint64_t offset;
  };
  std::optional<DmaBuf> dma_buf() const;
  // Maps the content on first use, until the buffer is freed: readable, and writable if is_writable(). Returns a negative errno
  // when mapping fails, -EFAULT when trusted memory has become shorter.
  int map(std::byte*& address);

  // Checks that `usage` permits the CPU to access `rect` (null: everything), waits for `fence` if it is not negative, maps the
  // buffer and counts a lock. Returns a negative errno like AHardwareBuffer_lock.
  int lock(uint64_t usage, int fence, const ARect* rect, std::byte*& address);
  // Ends a lock. Returns -EINVAL when there is none.
  int unlock();

 private:
  Buffer(const AHardwareBuffer_Desc& description, const Layout& layout, uint64_t id);
  int check_lock(uint64_t usage, const ARect* rect) const;
  int synchronise(uint64_t usage, bool end) const;
  bool is_all_there() const;

  AHardwareBuffer_Desc description_;
  const Layout layout_;
  const uint64_t id_;
  std::vector<FileDescriptor> memories_;
  std::vector<FramePart> parts_;
  std::optional<nnvk_FrameLayout> frame_;
  std::vector<bool> is_dma_buf_;  // as memories_
  bool trusts_size_ = false;
  std::mutex mutex_;
  PartsMapping mapping_;         // guarded by mutex_
  std::vector<uint64_t> locks_;  // the usage of each; guarded by mutex_
};

// Knows the live handles and their references; detects stale and invalid handles without reading their memory. Thread-safe.
class LiveBuffers {
 public:
  // Returns the table of this process, which is never destroyed, because destructors that run at exit may release buffers.
  static LiveBuffers& of_process();

  // Adds the buffer and returns its handle, which has one reference.
  AHardwareBuffer* add(std::shared_ptr<Buffer> buffer);
  // Returns the buffer of this handle; null when no live buffer has it.
  std::shared_ptr<Buffer> find(const AHardwareBuffer* handle);
  void acquire(const AHardwareBuffer* handle);
  void release(const AHardwareBuffer* handle);

 private:
  struct Entry {
    std::shared_ptr<Buffer> buffer;
    uint64_t references = 1;
  };
  std::mutex mutex_;
  std::unordered_map<const void*, Entry> entries_;
};

}  // namespace nnvk::nativewindow
