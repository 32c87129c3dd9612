// Counts memory and lock calls of a thread to the C library while it is watched. Not in sanitized programs, which have hooks of
// their own.
#pragma once

#include <cstdint>

namespace nnvk::test {

#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
inline constexpr bool kHeapCanBeWatched = false;
#else
inline constexpr bool kHeapCanBeWatched = true;
#endif

struct HeapCounts {
  uint64_t allocations = 0;  // malloc, calloc, realloc, aligned_alloc, posix_memalign, and so operator new
  uint64_t frees = 0;
  uint64_t locks = 0;  // pthread_mutex_lock, and so std::mutex; pthread_rwlock_*
};

// Counts the calling thread during its lifetime. Only one may live at a time.
class HeapWatch {
 public:
  HeapWatch();
  ~HeapWatch();
  HeapWatch(const HeapWatch&) = delete;
  HeapWatch& operator=(const HeapWatch&) = delete;
  HeapCounts counts() const;
};

// Stops counting during its lifetime, for calls into a driver or a layer.
class HeapWatchPause {
 public:
  HeapWatchPause();
  ~HeapWatchPause();
  HeapWatchPause(const HeapWatchPause&) = delete;
  HeapWatchPause& operator=(const HeapWatchPause&) = delete;

 private:
  const bool was_watching_;
};

}  // namespace nnvk::test
