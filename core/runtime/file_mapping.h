// Pages of a file in memory, mapped as long as the object lives.
#pragma once

#include <sys/mman.h>

#include <cstddef>
#include <span>

namespace nnvk {

// Owns mapped pages of a file. Allocate this owner before it maps pages: if there were no memory for it afterwards, the pages
// would stay mapped.
class FileMapping {
 public:
  FileMapping() = default;
  ~FileMapping() {
    if (address_ != MAP_FAILED) ::munmap(address_, size_);
  }
  FileMapping(const FileMapping&) = delete;
  FileMapping& operator=(const FileMapping&) = delete;

  // Maps the file as mmap() does with MAP_SHARED; call it once. Returns false with errno set if that fails.
  bool map(int fd, size_t size, int protection, size_t offset) {
    size_ = size;
    address_ = ::mmap(nullptr, size, protection, MAP_SHARED, fd, static_cast<off_t>(offset));
    return address_ != MAP_FAILED;
  }
  std::span<std::byte> bytes() const { return {static_cast<std::byte*>(address_), size_}; }

 private:
  void* address_ = MAP_FAILED;
  size_t size_ = 0;
};

}  // namespace nnvk
