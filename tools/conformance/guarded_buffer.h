// A client's buffer that detects accesses outside it, by canary bytes on both sides and inaccessible pages around these.
#pragma once

#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <span>

namespace nnvk::tools::conformance {

class GuardedBuffer {
 public:
  // Makes a buffer for an output: a canary on both sides, and inaccessible memory beyond.
  static GuardedBuffer output(size_t size) { return {size, kCanary}; }
  // Makes a buffer for an input with these bytes: reading a byte past its end crashes the process.
  static GuardedBuffer input(std::span<const uint8_t> bytes) {
    GuardedBuffer buffer(bytes.size(), 0);
    std::ranges::copy(bytes, buffer.inside().begin());
    return buffer;
  }

  GuardedBuffer(GuardedBuffer&& other) noexcept
      : mapped_(other.mapped_), mapped_size_(other.mapped_size_), size_(other.size_), behind_(other.behind_) {
    other.mapped_ = nullptr;
  }
  GuardedBuffer& operator=(GuardedBuffer&&) = delete;
  ~GuardedBuffer() {
    if (mapped_ != nullptr) munmap(mapped_, mapped_size_);
  }

  // Fills the buffer with a pattern, so that bytes which the device does not write are wrong.
  void clear() {
    constexpr uint8_t kUnwritten = 0xcd;
    std::ranges::fill(inside(), kUnwritten);
  }

  std::span<uint8_t> inside() { return {front() + front_size() - behind_ - size_, size_}; }

  // Returns whether the bytes on both sides are unchanged.
  bool intact() {
    const auto untouched = [](uint8_t byte) { return byte == kCanaryValue; };
    const uint8_t* const begin = inside().data();
    return std::all_of(begin - kCanary, begin, untouched) && std::all_of(begin + size_, begin + size_ + behind_, untouched);
  }

 private:
  static constexpr size_t kCanary = 64;
  static constexpr uint8_t kCanaryValue = 0x5a;

  GuardedBuffer(size_t size, size_t behind) : size_(size), behind_(behind) {
    const size_t inside_pages = (size + behind + kCanary + page() - 1) / page() * page();
    mapped_size_ = inside_pages + 2 * page();
    void* const memory = mmap(nullptr, mapped_size_, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    mapped_ = memory == MAP_FAILED ? nullptr : static_cast<uint8_t*>(memory);
    mprotect(front(), front_size(), PROT_READ | PROT_WRITE);
    std::memset(inside().data() - kCanary, kCanaryValue, kCanary);
    std::memset(inside().data() + size, kCanaryValue, behind);
  }

  static size_t page() { return static_cast<size_t>(sysconf(_SC_PAGESIZE)); }
  uint8_t* front() const { return mapped_ + page(); }
  size_t front_size() const { return mapped_size_ - 2 * page(); }

  uint8_t* mapped_ = nullptr;
  size_t mapped_size_ = 0;
  size_t size_ = 0;
  size_t behind_ = 0;
};

}  // namespace nnvk::tools::conformance
