// Counts what a thread asks of the C library while it is watched: memory, and locks. Not in sanitized programs, which have hooks
// of their own.
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

// Counts the calling thread as long as it lives; one at a time.
class HeapWatch {
 public:
  HeapWatch();
  ~HeapWatch();
  HeapWatch(const HeapWatch&) = delete;
  HeapWatch& operator=(const HeapWatch&) = delete;
  HeapCounts counts() const;
};

// What the thread does meanwhile is somebody else's: a driver's, a layer's.
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
