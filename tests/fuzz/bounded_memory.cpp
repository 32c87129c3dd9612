// Replaces operator new and delete of the whole program, including shared libraries.
#include "tests/fuzz/bounded_memory.h"

#include <malloc.h>

#include <atomic>
#include <cstdlib>
#include <new>

namespace {

std::atomic<bool> is_bounded{false};
std::atomic<ptrdiff_t> taken{0};  // since the constructor of the BoundedMemory; freeing older blocks counts as well

void* take(size_t size, size_t alignment) noexcept {
  if (is_bounded && (size > nnvk::fuzz::BoundedMemory::kMost ||
                     taken + static_cast<ptrdiff_t>(size) > static_cast<ptrdiff_t>(nnvk::fuzz::BoundedMemory::kMost))) {
    return nullptr;
  }
  void* memory = nullptr;
  if (alignment <= alignof(std::max_align_t)) {
    memory = std::malloc(size == 0 ? 1 : size);
  } else if (::posix_memalign(&memory, alignment, size) != 0) {
    memory = nullptr;
  }
  if (memory != nullptr) taken += static_cast<ptrdiff_t>(::malloc_usable_size(memory));
  return memory;
}

void* take_or_throw(size_t size, size_t alignment = 1) {
  if (void* const memory = take(size, alignment)) return memory;
  throw std::bad_alloc();
}

void give_back(void* memory) noexcept {
  if (memory == nullptr) return;
  taken -= static_cast<ptrdiff_t>(::malloc_usable_size(memory));
  std::free(memory);
}

}  // namespace

namespace nnvk::fuzz {

BoundedMemory::BoundedMemory() {
  taken = 0;
  is_bounded = true;
}
BoundedMemory::~BoundedMemory() { is_bounded = false; }

}  // namespace nnvk::fuzz

void* operator new(size_t size) { return take_or_throw(size); }
void* operator new[](size_t size) { return take_or_throw(size); }
void* operator new(size_t size, std::align_val_t alignment) { return take_or_throw(size, static_cast<size_t>(alignment)); }
void* operator new[](size_t size, std::align_val_t alignment) { return take_or_throw(size, static_cast<size_t>(alignment)); }
void* operator new(size_t size, const std::nothrow_t&) noexcept { return take(size, 1); }
void* operator new[](size_t size, const std::nothrow_t&) noexcept { return take(size, 1); }
void* operator new(size_t size, std::align_val_t alignment, const std::nothrow_t&) noexcept {
  return take(size, static_cast<size_t>(alignment));
}
void* operator new[](size_t size, std::align_val_t alignment, const std::nothrow_t&) noexcept {
  return take(size, static_cast<size_t>(alignment));
}
void operator delete(void* memory) noexcept { give_back(memory); }
void operator delete[](void* memory) noexcept { give_back(memory); }
void operator delete(void* memory, size_t) noexcept { give_back(memory); }
void operator delete[](void* memory, size_t) noexcept { give_back(memory); }
void operator delete(void* memory, std::align_val_t) noexcept { give_back(memory); }
void operator delete[](void* memory, std::align_val_t) noexcept { give_back(memory); }
void operator delete(void* memory, size_t, std::align_val_t) noexcept { give_back(memory); }
void operator delete[](void* memory, size_t, std::align_val_t) noexcept { give_back(memory); }
