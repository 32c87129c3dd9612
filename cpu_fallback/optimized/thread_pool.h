// The threads that share the work of the CPU device's operations: one pool per device, for all executions. Threads take work part
// by part, and the caller takes parts like every other thread. It never waits for a thread that has not begun: on a busy machine,
// a thread may not run for milliseconds, and a whole execution takes less.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <mutex>

#include "core/base/run_deadline.h"

namespace nnvk::cpu {

class ThreadPool {
 public:
  // `threads` counts the caller's thread, so 1 starts none. Threads start with the first work that is split.
  explicit ThreadPool(unsigned threads);
  ~ThreadPool();
  ThreadPool(const ThreadPool&) = delete;
  ThreadPool& operator=(const ThreadPool&) = delete;

  unsigned threads() const { return threads_; }

  // Calls task(i) for every i below `count`, on any of the threads, and returns when all calls have ended. While another
  // execution uses the threads, the caller works alone: both finish sooner than if each operation waited. After the deadline of
  // the caller's run (core/base/run_deadline.h), begins no task; throws DeadlinePassed when all tasks that have begun are done.
  template <class Task>
  void parallel_for(size_t count, const Task& task) {
    if (count == 0) return;
    split(count, &task, [](const void* context, size_t i) { (*static_cast<const Task*>(context))(i); });
  }

  // Splits `count` rows of about `nanoseconds` each into parts that are worth a thread, multiples of `step`. Calls task(first,
  // end) for each part. If the caller's run has a deadline, parts take a few milliseconds at most.
  template <class Task>
  void parallel_rows(size_t count, double nanoseconds, size_t step, const Task& task) {
    const size_t parts = part_count(count, nanoseconds, step);
    if (parts <= 1) {
      throw_if_passed(run_deadline());  // one short part of many: kernels of sequences
      return task(size_t{0}, count);
    }
    const size_t steps = (count + step - 1) / step;
    parallel_for(parts, [&](size_t part) {
      const size_t first = steps * part / parts * step;
      const size_t end = std::min(count, steps * (part + 1) / parts * step);
      if (first < end) task(first, end);
    });
  }

  // Cuts `groups` groups of `columns` columns into blocks of at most `most` columns, which take about `nanoseconds` each. Calls
  // task(group, first column, end) for each block.
  template <class Task>
  void parallel_blocks(size_t groups, size_t columns, size_t most, double nanoseconds, const Task& task) {
    const size_t blocks = (columns + most - 1) / most;
    parallel_rows(groups * blocks, nanoseconds, 1, [&](size_t first, size_t end) {
      for (; first < end; ++first) {
        const size_t column = first % blocks * most;
        task(first / blocks, column, std::min(columns, column + most));
      }
    });
  }

  // Lets the threads sleep sooner than between two operations. Call it at the end of an execution.
  void rest();

 private:
  using Call = void (*)(const void* context, size_t i);
  class Crew;
  void split(size_t count, const void* context, Call call);
  void split_without_deadline(size_t count, const void* context, Call call);
  size_t part_count(size_t count, double nanoseconds, size_t step) const;
  Crew* crew_of_this_process();

  const unsigned threads_;
  std::mutex mutex_;
  std::unique_ptr<Crew> crew_;
  uint32_t generation_ = 0;  // of the process that has the crew
};

}  // namespace nnvk::cpu
