// Replaces operator new and delete.
#include "tests/api/out_of_memory/failing_new.h"

#include <atomic>
#include <cstdlib>
#include <new>

namespace nnvk::test {
namespace {

std::atomic<bool> is_counting{false};
std::atomic<uint64_t> asked{0};
std::atomic<uint64_t> first_to_fail{0};
std::atomic<uint64_t> last_to_fail{0};
std::atomic<int64_t> live{0};

bool fails() {
  if (!is_counting.load(std::memory_order_acquire)) return false;
  const uint64_t number = asked.fetch_add(1) + 1;
  return number >= first_to_fail.load() && number <= last_to_fail.load();
}

void* allocate(std::size_t size, std::size_t alignment) {
  if (fails()) return nullptr;
  if (size == 0) size = 1;
  void* const block = alignment <= alignof(std::max_align_t)
                          ? std::malloc(size)
                          : std::aligned_alloc(alignment, (size + alignment - 1) / alignment * alignment);
  if (block != nullptr) live.fetch_add(1, std::memory_order_relaxed);
  return block;
}

void* allocate_or_throw(std::size_t size, std::size_t alignment = 0) {
  if (void* const block = allocate(size, alignment)) return block;
  throw std::bad_alloc();
}

void release(void* block) {
  if (block == nullptr) return;
  live.fetch_sub(1, std::memory_order_relaxed);
  std::free(block);
}

}  // namespace

void start_failing(uint64_t number, Failing how) {
  asked = 0;
  first_to_fail = number != 0 ? number : UINT64_MAX;
  last_to_fail = number == 0 ? 0 : how == Failing::kOne ? number : UINT64_MAX;
  is_counting.store(true, std::memory_order_release);
}

uint64_t stop_failing() {
  is_counting = false;
  return asked;
}

int64_t live_allocations() { return live.load(std::memory_order_relaxed); }

}  // namespace nnvk::test

using nnvk::test::allocate;
using nnvk::test::allocate_or_throw;
using nnvk::test::release;

void* operator new(std::size_t size) { return allocate_or_throw(size); }
void* operator new[](std::size_t size) { return allocate_or_throw(size); }
void* operator new(std::size_t size, std::align_val_t alignment) { return allocate_or_throw(size, std::size_t(alignment)); }
void* operator new[](std::size_t size, std::align_val_t alignment) { return allocate_or_throw(size, std::size_t(alignment)); }
void* operator new(std::size_t size, const std::nothrow_t&) noexcept { return allocate(size, 0); }
void* operator new[](std::size_t size, const std::nothrow_t&) noexcept { return allocate(size, 0); }
void operator delete(void* block) noexcept { release(block); }
void operator delete[](void* block) noexcept { release(block); }
void operator delete(void* block, std::size_t) noexcept { release(block); }
void operator delete[](void* block, std::size_t) noexcept { release(block); }
void operator delete(void* block, std::align_val_t) noexcept { release(block); }
void operator delete[](void* block, std::align_val_t) noexcept { release(block); }
void operator delete(void* block, std::size_t, std::align_val_t) noexcept { release(block); }
void operator delete[](void* block, std::size_t, std::align_val_t) noexcept { release(block); }
void operator delete(void* block, const std::nothrow_t&) noexcept { release(block); }
void operator delete[](void* block, const std::nothrow_t&) noexcept { release(block); }
