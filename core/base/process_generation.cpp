// Handles fork().
#include "core/base/process_generation.h"

#include <pthread.h>

#include <atomic>
#include <new>
#include <type_traits>

namespace nnvk {

// Counts forks. No member has a destructor, because a process may exit or fork at any time. Unloading the library unregisters the
// handler.
struct ForkHandler {
  static constinit inline std::atomic<uint32_t> generation{1};
  static constinit inline MutexOfProcess* first = nullptr;

  static void in_child() {
    generation.fetch_add(1, std::memory_order_relaxed);
    for (MutexOfProcess* entry = first; entry != nullptr; entry = entry->next_) new (&entry->mutex_) std::mutex;
  }
  // The library registers the handler when it is loaded, before there are objects that a child of fork could take for its own.
  static inline const bool is_set = ::pthread_atfork(nullptr, nullptr, in_child) == 0;
};
static_assert(std::is_trivially_destructible_v<std::mutex>);

uint32_t process_generation() { return ForkHandler::generation.load(std::memory_order_relaxed); }

MutexOfProcess::MutexOfProcess() : next_(ForkHandler::first) { ForkHandler::first = this; }

}  // namespace nnvk
