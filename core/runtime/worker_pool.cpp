// A queue of tasks, and the threads that run them.
#include "core/runtime/worker_pool.h"

#include <algorithm>
#include <condition_variable>
#include <new>
#include <utility>
#include <vector>

#include "core/base/log.h"
#include "core/base/process_generation.h"
#include "core/base/thread.h"

namespace nnvk {

// The state that the pool and its threads share. It outlives the pool if a task destroys the pool on which it runs.
struct WorkerPool::Shared {
  const uint32_t generation = process_generation();
  std::mutex mutex;
  std::condition_variable wake;
  Tasks tasks;
  std::vector<Thread> threads;  // capacity is reserved: adding one needs no memory
  unsigned idle = 0;
  bool stopping = false;

  // The pool whose worker this thread is. A plain pointer has no destructor: threads may outlive the library.
  static inline thread_local const Shared* of_this_thread = nullptr;

  explicit Shared(unsigned most_threads) { threads.reserve(most_threads); }

  // Runs a task. If memory runs out, the thread continues with other tasks, because every task reports its own result, even then.
  static void run(const std::function<void()>& task) noexcept {
    try {
      task();
    } catch (const std::bad_alloc&) {
      log_line(LogLevel::kError, "Manager", "a task stopped because memory ran out");
    }
  }

  void work() {
    of_this_thread = this;
    std::unique_lock lock(mutex);
    while (true) {
      ++idle;
      wake.wait(lock, [this] { return stopping || !tasks.empty(); });
      --idle;
      if (tasks.empty()) return;
      {
        const std::function<void()> task = std::move(tasks.extract(tasks.begin()).mapped());
        lock.unlock();
        run(task);
      }
      lock.lock();
    }
  }
};

WorkerPool::Task WorkerPool::make_task(int32_t priority, std::function<void()> run) {
  Tasks one;
  return one.extract(one.emplace(priority, std::move(run)));
}

WorkerPool::WorkerPool(unsigned threads, const char* name)
    : threads_(std::max(threads, 1U)), name_(name), shared_(std::make_shared<Shared>(threads_)) {}

WorkerPool::~WorkerPool() {
  const std::shared_ptr<Shared> shared = this->shared();
  std::vector<Thread> threads;
  {
    const std::lock_guard lock(shared->mutex);
    shared->stopping = true;
    threads.swap(shared->threads);
  }
  shared->wake.notify_all();
  for (Thread& thread : threads) {
    if (thread.is_calling()) {
      thread.detach();
    } else {
      thread.join();
    }
  }
}

// Returns the state, which the first call makes. A child of fork leaks its parent's state, because destroying it would join
// threads that do not exist here.
std::shared_ptr<WorkerPool::Shared> WorkerPool::shared() {
  const std::lock_guard lock(mutex_);
  if (shared_->generation != process_generation()) {
    new std::shared_ptr<Shared>(std::move(shared_));
    shared_ = std::make_shared<Shared>(threads_);
  }
  return shared_;
}

bool WorkerPool::enqueue(Task&& task) { return enqueue(shared(), std::move(task), threads_, name_); }

bool WorkerPool::enqueue_for_this_thread(Task&& task) {
  const std::shared_ptr<Shared> shared = this->shared();
  if (Shared::of_this_thread != shared.get()) return enqueue(shared, std::move(task), threads_, name_);
  const std::lock_guard lock(shared->mutex);
  shared->tasks.insert(std::move(task));
  return true;
}

bool WorkerPool::enqueue(const std::shared_ptr<Shared>& shared, Task&& task, unsigned threads, const char* name) {
  const std::lock_guard lock(shared->mutex);
  const auto queued = shared->tasks.insert(std::move(task));
  if (shared->tasks.size() > shared->idle && shared->threads.size() < threads) {
    if (auto thread = Thread::start(name, [shared] { shared->work(); })) {
      shared->threads.push_back(*std::move(thread));
    } else if (shared->threads.empty()) {
      task = shared->tasks.extract(queued);
      return false;
    }
  }
  shared->wake.notify_one();
  return true;
}

}  // namespace nnvk
