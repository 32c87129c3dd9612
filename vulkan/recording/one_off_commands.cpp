// One command pool per use.
#include "vulkan/recording/one_off_commands.h"

#include <memory>
#include <utility>

#include "core/runtime/fence.h"
#include "vulkan/recording/command_recorder.h"

namespace nnvk::vulkan {

Status submit_once(Gpu& gpu, Activity& activity, const RecordCommands& record, CompletionQueue::Retire retire) {
  if (!gpu.submits()) return fail(Code::kBadState, "the device has no queue: it records for the application and runs nothing");
  NNVK_ASSIGN(std::shared_ptr<CommandPool> pool, CommandPool::create(gpu.context));
  NNVK_ASSIGN(const VkCommandBuffer commands, pool->begin());
  record(commands);
  NNVK_TRY(pool->end(commands, activity));
  return gpu.completions->submit(commands, [pool = std::move(pool), retire = std::move(retire)](const Status& result) mutable {
    pool.reset();
    retire(result);
  });
}

Status run_once(Gpu& gpu, Activity& activity, const RecordCommands& record) {
  const Fence done = Fence::pending();
  NNVK_TRY(submit_once(gpu, activity, record, [done](const Status& result) { done.settle(result); }));
  return done.wait();
}

}  // namespace nnvk::vulkan
