// Memory with an inaccessible page directly before its first byte or after its last one.
#pragma once

#include <sys/mman.h>
#include <unistd.h>

#include <cstddef>
#include <cstring>
#include <span>

namespace nnvk::test {

enum class Guard { kBefore, kBehind };

class GuardedBytes {
 public:
  GuardedBytes(size_t size, Guard guard) : size_(size) {
    const auto page = static_cast<size_t>(::sysconf(_SC_PAGESIZE));
    const size_t inside = (size + page - 1) / page * page;
    mapped_ = inside + 2 * page;
    base_ = static_cast<std::byte*>(::mmap(nullptr, mapped_, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0));
    if (inside > 0) ::mprotect(base_ + page, inside, PROT_READ | PROT_WRITE);
    data_ = guard == Guard::kBefore ? base_ + page : base_ + page + inside - size;
  }
  GuardedBytes(std::span<const std::byte> contents, Guard guard) : GuardedBytes(contents.size(), guard) {
    if (size_ > 0) std::memcpy(data_, contents.data(), size_);
  }
  GuardedBytes(GuardedBytes&& other) noexcept
      : base_(other.base_), mapped_(other.mapped_), data_(other.data_), size_(other.size_) {
    other.base_ = nullptr;
  }
  GuardedBytes& operator=(GuardedBytes&&) = delete;
  ~GuardedBytes() {
    if (base_ != nullptr) ::munmap(base_, mapped_);
  }

  std::byte* data() const { return data_; }
  size_t size() const { return size_; }

 private:
  std::byte* base_ = nullptr;
  size_t mapped_ = 0;
  std::byte* data_ = nullptr;
  size_t size_ = 0;
};

}  // namespace nnvk::test
