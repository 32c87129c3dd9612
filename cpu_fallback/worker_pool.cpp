// A queue of tasks and the threads that empty it.
#include "cpu_fallback/worker_pool.h"

#include <condition_variable>
#include <map>
#include <mutex>
#include <system_error>
#include <thread>
#include <vector>

#include "core/base/trace.h"

namespace nnvk::cpu {

// Outlives the pool when a task destroys the pool it runs on.
struct WorkerPool::Shared {
  std::mutex mutex;
  std::condition_variable wake;
  std::multimap<int32_t, std::function<void()>, std::greater<>> tasks;  // equal priorities stay in order
  std::vector<std::thread> threads;
  unsigned limit = 1;
  unsigned idle = 0;
  bool stopping = false;

  void work() {
    std::unique_lock lock(mutex);
    while (true) {
      ++idle;
      wake.wait(lock, [this] { return stopping || !tasks.empty(); });
      --idle;
      if (tasks.empty()) return;
      {
        const std::function<void()> task = std::move(tasks.extract(tasks.begin()).mapped());
        lock.unlock();
        task();
      }
      lock.lock();
    }
  }
};

WorkerPool::WorkerPool(unsigned threads) : shared_(std::make_shared<Shared>()) { shared_->limit = threads == 0 ? 1 : threads; }

WorkerPool::~WorkerPool() {
  std::vector<std::thread> threads;
  {
    const std::lock_guard lock(shared_->mutex);
    shared_->stopping = true;
    threads.swap(shared_->threads);
  }
  shared_->wake.notify_all();
  for (std::thread& thread : threads) {
    if (thread.get_id() == std::this_thread::get_id()) {
      thread.detach();
    } else {
      thread.join();
    }
  }
}

bool WorkerPool::enqueue(int32_t priority, std::function<void()> task) {
  const std::lock_guard lock(shared_->mutex);
  const auto queued = shared_->tasks.emplace(priority, std::move(task));
  if (shared_->tasks.size() > shared_->idle && shared_->threads.size() < shared_->limit) {
    try {
      shared_->threads.emplace_back([shared = shared_] {
        trace::name_this_thread("nnvk cpu");
        shared->work();
      });
    } catch (const std::system_error&) {
      if (shared_->threads.empty()) {
        shared_->tasks.erase(queued);
        return false;
      }
    }
  }
  shared_->wake.notify_one();
  return true;
}

}  // namespace nnvk::cpu
