// Host memory that outlives single executions: the mapping of a memory object, together with the devices' imports of it.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <span>
#include <utility>

namespace nnvk {

// The mapped bytes of a memory. The memory object and the running executions bound to it share it. When the last of them releases
// it, it destroys the devices' attachments (imports), then unmaps the bytes.
class MappedMemory {
 public:
  // A device's data for the mapping, for example an import, or the fact that the device cannot use it.
  class Attachment {
   public:
    virtual ~Attachment() = default;
  };

  // A dma-buf, which devices may import directly.
  struct DmaBuf {
    int fd;           // open as long as the mapping lives
    uint64_t offset;  // of the mapping in it
  };

  // A file that no process can shorten (a sealed memfd) and that other processes may map as well.
  struct SealedFile {
    int fd;           // open as long as the mapping lives
    uint64_t offset;  // of the mapping in it
  };

  // `bytes` starts on a page, and all pages that it touches are mapped. `unmap` runs at the end. Not `writable`: nobody may write
  // the pages, not even a device. `dma_buf`, `file`: the mapped object, if it is one.
  MappedMemory(std::span<std::byte> bytes, bool writable, std::function<void()> unmap,
               std::optional<DmaBuf> dma_buf = std::nullopt, std::optional<SealedFile> file = std::nullopt)
      : bytes_(bytes), writable_(writable), unmap_(std::move(unmap)), dma_buf_(dma_buf), file_(file) {}
  ~MappedMemory() {
    attachments_.clear();
    unmap_();
  }
  MappedMemory(const MappedMemory&) = delete;
  MappedMemory& operator=(const MappedMemory&) = delete;

  std::span<std::byte> bytes() const { return bytes_; }
  bool is_writable() const { return writable_; }
  const std::optional<DmaBuf>& dma_buf() const { return dma_buf_; }
  const std::optional<SealedFile>& sealed_file() const { return file_; }

  // Returns the attachment of `device`, which `make` makes at the first call. It lives as long as the mapping; `device` must keep
  // its address at least as long (the attachment may own it). Thread-safe.
  Attachment& attachment(const void* device, const std::function<std::unique_ptr<Attachment>()>& make) {
    const std::lock_guard lock(mutex_);
    std::unique_ptr<Attachment>& known = attachments_[device];
    if (known == nullptr) known = make();
    return *known;
  }

 private:
  const std::span<std::byte> bytes_;
  const bool writable_;
  const std::function<void()> unmap_;
  const std::optional<DmaBuf> dma_buf_;
  const std::optional<SealedFile> file_;
  std::mutex mutex_;
  std::map<const void*, std::unique_ptr<Attachment>> attachments_;
};

}  // namespace nnvk
