// Checks, and the submission that replaces a failed execution.
#include "vulkan/recording/semaphore_sync.h"

#include <string>

#include "core/base/log.h"

namespace nnvk::vulkan {
namespace {

Status check_points(std::span<const SemaphorePoint> points, const char* name, bool has_timeline) {
  for (size_t i = 0; i < points.size(); ++i) {
    const std::string which = std::string(name) + "[" + std::to_string(i) + "]";
    if (points[i].semaphore == VK_NULL_HANDLE) return fail(Code::kBadData, which + " is VK_NULL_HANDLE");
    if (points[i].is_timeline() && !has_timeline) {
      return fail(Code::kBadData,
                  which +
                      " has a value, but the device was imported without the feature timelineSemaphore; enable it, "
                      "list it in enabledFeatures, or use a binary semaphore with value 0");
    }
  }
  return {};
}

}  // namespace

Result<std::shared_ptr<SemaphoreSync>> SemaphoreSync::create(const std::shared_ptr<Gpu>& gpu, QueueSync points,
                                                             bool submitted_later) {
  Context& context = *gpu->context;
  if (!context.has_queue()) {
    return fail(Code::kBadState,
                context.snapshot().name + " was imported without a queue; record the execution with nnvk_vkRecord");
  }
  NNVK_TRY(context.check_lost());
  const bool has_timeline = context.plan().timeline_semaphore;
  NNVK_TRY(check_points(points.waits, "waits", has_timeline));
  NNVK_TRY(check_points(points.signals, "signals", has_timeline));
  for (size_t i = 0; submitted_later && i < points.signals.size(); ++i) {
    if (points.signals[i].is_timeline()) continue;
    return fail(Code::kBadData,
                "signals[" + std::to_string(i) +
                    "] is a binary semaphore, and there are dependencies: the execution is submitted when they have "
                    "signalled, and nobody may wait for a binary semaphore before; use a timeline semaphore");
  }
  return std::shared_ptr<SemaphoreSync>(new SemaphoreSync(gpu, std::move(points)));
}

void SemaphoreSync::abandon() {
  const std::shared_ptr<Gpu> gpu = gpu_.lock();
  if (gpu == nullptr || taken_.exchange(true)) return;
  CompletionQueue::Work nothing;
  nothing.retire = [](const Status&, std::chrono::nanoseconds) {};
  const Status done = gpu->completions->submit(std::move(nothing), points_);
  if (!done) log_line(LogLevel::kError, "Vulkan", "semaphores of a failed execution stay unsignalled: " + done.error().text());
}

}  // namespace nnvk::vulkan
