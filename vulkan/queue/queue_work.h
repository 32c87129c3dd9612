// Work for a device's queue, as its owner describes it. The queue wraps it in another type at each stage: WaitingWork (turns.h)
// waits for its turn, SubmittedWork (retirer.h) is with the driver. After retire() the queue no longer holds it.
#pragma once

#include <volk.h>

#include <chrono>
#include <memory>
#include <optional>
#include <span>
#include <string>

#include "core/base/result.h"
#include "core/runtime/sync_file.h"
#include "vulkan/queue/queue_hazards.h"
#include "vulkan/queue/queue_position.h"

namespace nnvk::vulkan {

// Work for the driver's queue. An object is one submission at a time: retire() may enqueue the same object again.
class QueueWork {
 public:
  virtual ~QueueWork() = default;

  // Returns the command buffers, which the device runs in this order.
  virtual std::span<const VkCommandBuffer> commands() const = 0;
  // Returns the memory that the commands touch; nothing means that they may touch any.
  virtual std::optional<std::span<const MemoryAccess>> accesses() const { return std::nullopt; }
  // Returns the runs on which this work depends.
  virtual std::span<const std::shared_ptr<const QueuePosition>> behind() const { return {}; }
  // Returns the kernel fences that the device waits for first.
  virtual std::span<const std::shared_ptr<const SyncFilePlace>> sync_files() const { return {}; }
  // Returns the run's position, which gets this submission's number once the driver has it; null if it is not the run's last
  // submission.
  virtual QueuePosition* position() { return nullptr; }
  // Returns a few words for the error message of a hanging device.
  virtual std::string describe() const = 0;
  // Ends the submission. The completion thread calls it once per submission, with success or the reason why the submission did
  // not complete. `busy`: how long the device worked on it, without earlier work. If the driver does not get the work, another
  // thread may call it, even before CompletionQueue::enqueue() returns.
  virtual void retire(const Status& result, std::chrono::nanoseconds busy) = 0;
};

}  // namespace nnvk::vulkan
