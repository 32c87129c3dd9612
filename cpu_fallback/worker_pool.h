// Threads for executions that nobody waits for inline. Started with the first task, joined in the destructor.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>

namespace nnvk::cpu {

class WorkerPool {
 public:
  // At most `threads` tasks run at once.
  explicit WorkerPool(unsigned threads);
  // Finishes all tasks. May be called by a task of this pool (then that one thread ends on its own).
  ~WorkerPool();
  WorkerPool(const WorkerPool&) = delete;
  WorkerPool& operator=(const WorkerPool&) = delete;

  // Runs `task` on a worker: higher priority (ANEURALNETWORKS_PRIORITY_*) first, then in order. Tasks must not throw. False when
  // no thread could be started.
  bool enqueue(int32_t priority, std::function<void()> task);

 private:
  struct Shared;
  std::shared_ptr<Shared> shared_;
};

}  // namespace nnvk::cpu
