#include "vulkan/recording/one_off_commands.h"

#include <string>
#include <utility>

#include "core/runtime/fence.h"
#include "vulkan/recording/command_recorder.h"

namespace nnvk::vulkan {

Status submit_once(Gpu& gpu, Activity& activity, const OneOff& commands, CompletionQueue::Retire retire) {
  if (!gpu.submits()) return fail(Code::kBadState, "the device has no queue: it records for the application and runs nothing");
  NNVK_ASSIGN(std::shared_ptr<CommandPool> pool, CommandPool::create(gpu.context));
  NNVK_ASSIGN(const VkCommandBuffer buffer, pool->begin());
  commands.record(buffer);
  NNVK_TRY(pool->end(buffer, activity));
  return gpu.completions->submit(buffer, commands.what,
                                 [pool = std::move(pool), retire = std::move(retire)](const Status& result) mutable {
                                   pool.reset();
                                   retire(result);
                                 });
}

Status run_once(Gpu& gpu, Activity& activity, const OneOff& commands, std::shared_ptr<const void> used,
                const Deadline& deadline) {
  const Fence done = Fence::pending();
  NNVK_TRY(submit_once(gpu, activity, commands, [done, used = std::move(used)](const Status& result) { done.settle(result); }));
  if (!deadline || done.wait_until(*deadline)) return done.wait();
  gpu.completions->leave_to_device();
  return fail(Code::kMissedDeadlineTransient,
              std::string("the deadline passed before the device was done with ") + commands.what);
}

}  // namespace nnvk::vulkan
