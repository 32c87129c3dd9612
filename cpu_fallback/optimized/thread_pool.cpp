// Threads that take parts of one piece of work at a time. A child of fork starts threads of its own. The library pthreadpool
// cannot replace them: its callers wait for every thread, even one that has not begun, and for each other's executions; a nested
// call waits for itself. If the system refuses to start a thread, the pool's creator waits for that thread for ever, and so do
// callers in a child of fork.
#include "cpu_fallback/optimized/thread_pool.h"

#include <pthread.h>
#include <sched.h>

#include <atomic>
#include <chrono>
#include <cstdint>
#include <vector>

#include "core/base/process_generation.h"
#include "core/base/run_deadline.h"
#include "core/base/thread.h"

namespace nnvk::cpu {
namespace {

// The least time of a part that is worth a thread: handing out parts costs about a microsecond.
constexpr double kWorthAThread = 3000;  // nanoseconds
// A run with a deadline looks at the clock after parts of this estimated length; a part may take several times as long.
constexpr double kLongestPart = 5e6;  // nanoseconds
// How long threads wait actively before they sleep: helpers for the next operation, their caller for the last parts that helpers
// compute. Sleeping and waking up takes tens of microseconds.
constexpr std::chrono::microseconds kActiveWait{200};
// How long threads wait actively after an execution, as another one may follow at once.
constexpr std::chrono::microseconds kActiveRest{50};
constexpr size_t kCacheLine = 64;

void pause_briefly() {
#if defined(__x86_64__) || defined(__i386__)
  __builtin_ia32_pause();
#elif defined(__aarch64__)
  asm volatile("yield");
#endif
}

// Waits actively until is_over() holds or limit() has passed; returns is_over().
template <class IsOver, class Limit>
bool wait_actively(const IsOver& is_over, const Limit& limit) {
  constexpr int kPausesPerLook = 32;
  const auto start = std::chrono::steady_clock::now();
  do {
    for (int i = 0; i < kPausesPerLook; ++i) {
      if (is_over()) return true;
      pause_briefly();
    }
  } while (std::chrono::steady_clock::now() - start < limit());
  return is_over();
}

}  // namespace

class ThreadPool::Crew {
 public:
  // Starts `helpers` threads, or as many as the system allows.
  explicit Crew(unsigned helpers) {
    if (::sched_getaffinity(0, sizeof allowed_, &allowed_) != 0) CPU_ZERO(&allowed_);
    helpers_.reserve(helpers);
    for (unsigned i = 0; i < helpers; ++i) {
      auto helper = Thread::start("nnvk kernels", [this] { help(); });
      if (!helper) break;  // fewer threads: slower, nothing else
      helpers_.push_back(*std::move(helper));
    }
  }
  ~Crew() {
    is_stopping_ = true;
    wake();
    for (Thread& helper : helpers_) helper.join();
  }
  Crew(const Crew&) = delete;
  Crew& operator=(const Crew&) = delete;

  // Runs `call` for all parts below `count`. Only one thread may call it at a time.
  void work(uint32_t count, const void* context, Call call) {
    context_.store(context, std::memory_order_relaxed);
    call_.store(call, std::memory_order_relaxed);
    count_.store(count, std::memory_order_relaxed);
    finished_.store(0, std::memory_order_relaxed);
    rests_.store(false, std::memory_order_relaxed);
    keep_off(::sched_getcpu());
    ++piece_;
    open_.store(uint64_t{piece_} << 32 | count);
    if (sleeping_ != 0) wake();
    take_parts();
    if (finished_.load(std::memory_order_acquire) == count) return;
    const auto is_over = [&] { return finished_.load(std::memory_order_acquire) == count; };
    if (wait_actively(is_over, [] { return kActiveWait; })) return;
    for (uint32_t done = finished_; done != count; done = finished_) finished_.wait(done);
  }

  void rest() { rests_.store(true, std::memory_order_relaxed); }

 private:
  void take_parts() {
    uint64_t open = open_.load(std::memory_order_acquire);
    while (static_cast<uint32_t>(open) != 0) {
      // If the exchange below succeeds, these values belong to the piece in `open`: they stay until all parts of it are finished.
      const void* const context = context_.load(std::memory_order_relaxed);
      const Call call = call_.load(std::memory_order_relaxed);
      const uint32_t count = count_.load(std::memory_order_relaxed);
      if (!open_.compare_exchange_weak(open, open - 1, std::memory_order_acq_rel, std::memory_order_acquire)) continue;
      call(context, static_cast<uint32_t>(open) - 1);
      if (finished_.fetch_add(1, std::memory_order_release) + 1 == count) finished_.notify_one();  // the caller may sleep
      open = open_.load(std::memory_order_acquire);
    }
  }

  void help() {
    while (!is_stopping_) {
      take_parts();
      const auto has_work = [&] { return static_cast<uint32_t>(open_.load()) != 0 || is_stopping_; };
      const auto limit = [&] { return rests_.load(std::memory_order_relaxed) ? kActiveRest : kActiveWait; };
      if (wait_actively(has_work, limit)) continue;
      const int32_t calls = calls_;
      ++sleeping_;
      if (!has_work()) calls_.wait(calls);
      --sleeping_;
    }
  }

  // Keeps helpers off the caller's processor, as the caller works too. In virtual machines Linux takes sleeping processors for
  // busy ones and wakes helpers on the caller's processor, where they would wait until the work is done.
  void keep_off(int processor) {
    if (processor == caller_processor_ || processor < 0) return;
    caller_processor_ = processor;
    cpu_set_t others = allowed_;
    CPU_CLR(static_cast<size_t>(processor), &others);
    if (CPU_COUNT(&others) == 0) others = allowed_;
    if (CPU_COUNT(&others) == 0) return;
    for (const Thread& helper : helpers_) ::pthread_setaffinity_np(helper.handle(), sizeof others, &others);
  }

  void wake() {
    ++calls_;
    calls_.notify_all();
  }

  // Upper half: the number of the piece of work. Lower half: the number of its parts that no thread has taken.
  alignas(kCacheLine) std::atomic<uint64_t> open_{0};
  std::atomic<const void*> context_{nullptr};
  std::atomic<Call> call_{nullptr};
  std::atomic<uint32_t> count_{0};
  uint32_t piece_ = 0;
  alignas(kCacheLine) std::atomic<uint32_t> finished_{0};  // parts
  alignas(kCacheLine) std::atomic<int32_t> calls_{0};      // counts wake()
  std::atomic<int32_t> sleeping_{0};                       // threads
  std::atomic<bool> rests_{false};
  std::atomic<bool> is_stopping_{false};
  std::vector<Thread> helpers_;
  cpu_set_t allowed_{};  // processors that threads may use; empty: not known
  int caller_processor_ = -1;
};

ThreadPool::ThreadPool(unsigned threads) : threads_(std::max(threads, 1U)) {}

ThreadPool::~ThreadPool() {
  if (generation_ != process_generation()) (void)crew_.release();  // its threads are in the parent
}

ThreadPool::Crew* ThreadPool::crew_of_this_process() {
  if (generation_ != process_generation()) (void)crew_.release();  // its threads are in the parent
  if (crew_ == nullptr) {
    crew_ = std::make_unique<Crew>(threads_ - 1);
    generation_ = process_generation();
  }
  return crew_.get();
}

void ThreadPool::split(size_t count, const void* context, Call call) {
  const Deadline& deadline = run_deadline();
  if (!deadline) return split_without_deadline(count, context, call);
  const struct {
    const Deadline& deadline;  // other threads have none of their own
    const void* context;
    Call call;
  } timed{deadline, context, call};
  split_without_deadline(count, &timed, [](const void* of, size_t i) {
    const auto& work = *static_cast<const decltype(timed)*>(of);
    if (!has_passed(work.deadline)) work.call(work.context, i);
  });
  throw_if_passed(deadline);
}

void ThreadPool::split_without_deadline(size_t count, const void* context, Call call) {
  const std::unique_lock lock(mutex_, std::try_to_lock);
  if (count > 1 && count < UINT32_MAX && threads_ > 1 && lock.owns_lock()) {
    crew_of_this_process()->work(static_cast<uint32_t>(count), context, call);
    return;
  }
  for (size_t i = 0; i < count; ++i) call(context, i);
}

size_t ThreadPool::part_count(size_t count, double nanoseconds, size_t step) const {
  const double whole = static_cast<double>(count) * nanoseconds;
  double parts = threads_ == 1 ? 1 : std::min(whole / kWorthAThread, 2.0 * threads_);
  if (run_deadline()) parts = std::max(parts, whole / kLongestPart);
  const size_t steps = (count + step - 1) / step;
  return static_cast<size_t>(std::clamp(parts, 1.0, static_cast<double>(std::max<size_t>(steps, 1))));
}

void ThreadPool::rest() {
  const std::unique_lock lock(mutex_, std::try_to_lock);
  if (lock.owns_lock() && crew_ != nullptr && generation_ == process_generation()) crew_->rest();
}

}  // namespace nnvk::cpu
