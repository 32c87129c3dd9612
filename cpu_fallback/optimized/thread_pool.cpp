// Threads of pthreadpool, made again in children of fork.
#include "cpu_fallback/optimized/thread_pool.h"

#include <pthreadpool.h>
#include <unistd.h>

namespace nnvk::cpu {
namespace {

// Handing out parts costs a few microseconds.
constexpr double kWorthAThread = 3000;  // nanoseconds

}  // namespace

ThreadPool::ThreadPool(unsigned threads) : threads_(std::max(threads, 1U)) {}

ThreadPool::~ThreadPool() {
  if (owner_ == ::getpid()) ::pthreadpool_destroy(pool_);
}

pthreadpool* ThreadPool::threads_of_this_process() {
  if (owner_ != ::getpid()) {  // a child of fork has none of its parent's threads: their memory is left alone
    pool_ = ::pthreadpool_create(threads_);
    owner_ = ::getpid();
  }
  return pool_;
}

void ThreadPool::split(size_t count, const void* context, Call call) {
  const std::unique_lock lock(mutex_, std::try_to_lock);
  pthreadpool* const pool = count > 1 && threads_ > 1 && lock.owns_lock() ? threads_of_this_process() : nullptr;
  if (pool == nullptr) {
    for (size_t i = 0; i < count; ++i) call(context, i);
    return;
  }
  is_awake_ = true;
  struct Work {
    const void* context;
    Call call;
  } work{context, call};
  ::pthreadpool_parallelize_1d(
      pool, [](void* argument, size_t i) { static_cast<Work*>(argument)->call(static_cast<Work*>(argument)->context, i); }, &work,
      count, 0);
}

size_t ThreadPool::part_count(size_t count, double nanoseconds, size_t step) const {
  if (threads_ == 1) return 1;
  const double worth = static_cast<double>(count) * nanoseconds / kWorthAThread;
  const size_t steps = (count + step - 1) / step;
  return std::clamp<size_t>(static_cast<size_t>(std::min(worth, 2.0 * threads_)), 1, std::max<size_t>(steps, 1));
}

void ThreadPool::rest() {
  const std::unique_lock lock(mutex_, std::try_to_lock);
  if (!lock.owns_lock() || !is_awake_ || owner_ != ::getpid()) return;
  is_awake_ = false;
  ::pthreadpool_parallelize_1d(
      pool_, [](void*, size_t) {}, nullptr, threads_, PTHREADPOOL_FLAG_YIELD_WORKERS);
}

}  // namespace nnvk::cpu
