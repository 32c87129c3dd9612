// Launches executions when their dependencies have settled: its threads resolve shapes, record commands, compile pipelines and
// run CPU kernels. Callbacks of fences (fence.h) only enqueue launches here.
#pragma once

#include <cstdint>
#include <functional>

#include "core/base/out_of_memory.h"
#include "core/base/result.h"
#include "core/runtime/fence.h"
#include "core/runtime/worker_pool.h"

namespace nnvk {

struct Launch {
  int32_t priority = 100;         // ANEURALNETWORKS_PRIORITY_*
  std::function<Status()> start;  // may throw std::bad_alloc
  // The launch thread calls it with the error of `start`, so that the execution can report it. Never throws.
  std::function<void(const Error& error)> failed;
};

class LaunchQueue {
 public:
  // A function that posts a launch. It is short, throws nothing and needs no memory, so fences can call it as a callback. Call it
  // once.
  using Post = std::function<void()>;
  // Allocates everything that posting needs.
  Post prepare(Launch launch);
  // Launches once `fence` has settled, whatever its result: at once on this thread if it already has, else on a launch thread.
  // Callbacks of fences must not call this.
  void after(const Fence& fence, Launch launch);

 private:
  // The number does not depend on the cores, so that a thread that compiles, or waits for a compilation, delays no other launch.
  static constexpr unsigned kMaxThreads = 8;
  WorkerPool pool_{kMaxThreads, "nnvk launch"};
};

}  // namespace nnvk
