#include "vulkan/queue/semaphore_sync.h"

#include <string>

#include "core/base/log.h"

namespace nnvk::vulkan {
namespace {

// A submission of the semaphores alone.
struct Semaphores final : QueueWork {
  std::span<const VkCommandBuffer> commands() const override { return {}; }
  std::string describe() const override { return "semaphores"; }
  void retire(const Status&, std::chrono::nanoseconds) override {}
};

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

Result<std::shared_ptr<SemaphoreSync>> SemaphoreSync::create(const std::shared_ptr<CompletionQueue>& queue, QueueSync points,
                                                             bool submitted_later) {
  Context& context = queue->context();
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
  return std::shared_ptr<SemaphoreSync>(new SemaphoreSync(queue, std::move(points)));
}

void SemaphoreSync::abandon() {
  const std::shared_ptr<CompletionQueue> queue = queue_.lock();
  if (queue == nullptr || taken_.exchange(true)) return;
  const Status done = queue->submit(std::make_shared<Semaphores>(), points_);
  if (!done) log_line(LogLevel::kError, "Vulkan", "semaphores of a failed execution stay unsignalled: " + done.error().text());
}

}  // namespace nnvk::vulkan
