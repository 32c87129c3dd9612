// Launches as tasks of a pool.
#include "core/runtime/launch_queue.h"

#include <memory>
#include <utility>

namespace nnvk {
namespace {

void run(const Launch& launch) {
  if (const Status started = catch_out_of_memory(launch.start); !started) launch.failed(started.error());
}

}  // namespace

LaunchQueue::Post LaunchQueue::prepare(Launch launch) {
  const int32_t priority = launch.priority;
  auto task = WorkerPool::make_task(priority, [launch = std::move(launch)] { run(launch); });
  return [this, task = std::make_shared<WorkerPool::Task>(std::move(task))] {
    // Without a thread, this thread runs the task: nothing else would ever settle the execution.
    if (!pool_.enqueue(std::move(*task))) task->mapped()();
  };
}

void LaunchQueue::after(const Fence& fence, Launch launch) {
  if (fence.state() != Fence::State::kPending) return run(launch);
  fence.on_settled([post = prepare(std::move(launch))](const Status&) { post(); });
}

}  // namespace nnvk
