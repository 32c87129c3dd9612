// Functions of the C library that the program replaces: for shared libraries of the process, too.
#include "tests/api/recording/watched_heap.h"

#include <dlfcn.h>
#include <pthread.h>

#include <cerrno>
#include <cstddef>
#include <cstdlib>
#include <utility>

namespace nnvk::test {
namespace {

// Plain data, so that the replaced functions can use it before anything is initialised.
thread_local bool watching = false;
thread_local HeapCounts watched;

[[maybe_unused]] void count(uint64_t HeapCounts::*what) {
  if (watching) ++(watched.*what);
}

// The next definition of a function after this program's.
template <class F>
[[maybe_unused]] F* next(F*& known, const char* name) {
  if (known == nullptr) {
    const HeapWatchPause pause;
    known = reinterpret_cast<F*>(::dlsym(RTLD_NEXT, name));
  }
  return known;
}

}  // namespace

HeapWatch::HeapWatch() {
  watched = {};
  watching = true;
}
HeapWatch::~HeapWatch() { watching = false; }
HeapCounts HeapWatch::counts() const { return watched; }

HeapWatchPause::HeapWatchPause() : was_watching_(std::exchange(watching, false)) {}
HeapWatchPause::~HeapWatchPause() { watching = was_watching_; }

}  // namespace nnvk::test

#if !defined(__SANITIZE_ADDRESS__) && !defined(__SANITIZE_THREAD__)
using nnvk::test::count;
using nnvk::test::HeapCounts;
using nnvk::test::next;

extern "C" {

// glibc's own functions under their second names.
void* __libc_malloc(size_t size);
void* __libc_calloc(size_t count, size_t size);
void* __libc_realloc(void* memory, size_t size);
void* __libc_memalign(size_t alignment, size_t size);
void __libc_free(void* memory);

__attribute__((visibility("default"))) void* malloc(size_t size) {
  count(&HeapCounts::allocations);
  return __libc_malloc(size);
}
__attribute__((visibility("default"))) void* calloc(size_t number, size_t size) {
  count(&HeapCounts::allocations);
  return __libc_calloc(number, size);
}
__attribute__((visibility("default"))) void* realloc(void* memory, size_t size) {
  count(&HeapCounts::allocations);
  return __libc_realloc(memory, size);
}
__attribute__((visibility("default"))) void* aligned_alloc(size_t alignment, size_t size) {
  count(&HeapCounts::allocations);
  return __libc_memalign(alignment, size);
}
__attribute__((visibility("default"))) void* memalign(size_t alignment, size_t size) {
  count(&HeapCounts::allocations);
  return __libc_memalign(alignment, size);
}
__attribute__((visibility("default"))) int posix_memalign(void** memory, size_t alignment, size_t size) {
  count(&HeapCounts::allocations);
  *memory = __libc_memalign(alignment, size);
  return *memory != nullptr ? 0 : ENOMEM;
}
__attribute__((visibility("default"))) void free(void* memory) {
  count(&HeapCounts::frees);
  __libc_free(memory);
}
__attribute__((visibility("default"))) int pthread_mutex_lock(pthread_mutex_t* mutex) {
  static int (*real)(pthread_mutex_t*) = nullptr;
  count(&HeapCounts::locks);
  return next(real, "pthread_mutex_lock")(mutex);
}
__attribute__((visibility("default"))) int pthread_rwlock_rdlock(pthread_rwlock_t* lock) {
  static int (*real)(pthread_rwlock_t*) = nullptr;
  count(&HeapCounts::locks);
  return next(real, "pthread_rwlock_rdlock")(lock);
}
__attribute__((visibility("default"))) int pthread_rwlock_wrlock(pthread_rwlock_t* lock) {
  static int (*real)(pthread_rwlock_t*) = nullptr;
  count(&HeapCounts::locks);
  return next(real, "pthread_rwlock_wrlock")(lock);
}

}  // extern "C"
#endif
