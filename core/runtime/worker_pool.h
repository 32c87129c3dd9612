// Worker threads for tasks, started when needed (anew in a child of fork) and joined by the destructor.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <utility>

#include "core/runtime/queue_id.h"

namespace nnvk {

class WorkerPool {
 public:
  // Waiting work: higher priority (ANEURALNETWORKS_PRIORITY_*) first, then in order. A task must not throw.
  using Tasks = std::multimap<int32_t, std::function<void()>, std::greater<>>;
  // One task as an entry of the queue, so that enqueue() needs no memory.
  using Task = Tasks::node_type;
  static Task make_task(int32_t priority, std::function<void()> run);

  // At most `threads` tasks run at once, on threads of this name, which must be a literal.
  WorkerPool(unsigned threads, const char* name);
  // Finishes all tasks. A task of this pool may call it; that one thread then ends on its own.
  ~WorkerPool();
  WorkerPool(const WorkerPool&) = delete;
  WorkerPool& operator=(const WorkerPool&) = delete;

  // Runs `task` on a worker. Never throws. Returns false if no thread could be started; the caller then keeps the task.
  bool enqueue(Task&& task);
  // Does the same as enqueue(), at the end of a task: a worker that calls it wakes no other one, because it will take the next
  // task itself.
  bool enqueue_for_this_thread(Task&& task);
  bool enqueue(int32_t priority, std::function<void()> run) { return enqueue(make_task(priority, std::move(run))); }

  // Returns the number of the pool's queue, which serves as a device's queue.
  QueueId id() const { return id_; }

 private:
  struct Shared;
  std::shared_ptr<Shared> shared();
  static bool enqueue(const std::shared_ptr<Shared>& shared, Task&& task, unsigned threads, const char* name);

  const QueueId id_ = new_queue_id();
  const unsigned threads_;
  const char* const name_;
  std::mutex mutex_;
  std::shared_ptr<Shared> shared_;
};

}  // namespace nnvk
