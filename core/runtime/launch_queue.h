// Where executions are launched when something that they waited for has settled: shapes are resolved, commands recorded,
// pipelines compiled and CPU kernels run on threads of their own. Callbacks of fences (fence.h) only enqueue here.
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
  // Called with the error of `start`, on the same thread: it is that execution's own. Never throws.
  std::function<void(const Error& error)> failed;
};

class LaunchQueue {
 public:
  // Posts a launch: short, throws nothing and needs no memory, as callbacks must. To be called once.
  using Post = std::function<void()>;
  // Everything that posting needs is taken now.
  Post prepare(Launch launch);
  // Launches once `fence` has settled, whatever its result: at once on this thread where it has, else on a launch thread. Not to
  // be called by callbacks.
  void after(const Fence& fence, Launch launch);

 private:
  // More threads than cores: one that compiles or waits for another's compilation delays no other launch.
  static constexpr unsigned kMaxThreads = 8;
  WorkerPool pool_{kMaxThreads, "nnvk launch"};
};

}  // namespace nnvk
