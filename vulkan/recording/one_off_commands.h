// Commands that run once: recorded, submitted, and freed when they have completed.
#pragma once

#include <volk.h>

#include <functional>
#include <memory>

#include "core/base/deadline.h"
#include "core/base/result.h"
#include "vulkan/memory/buffer.h"
#include "vulkan/recording/gpu.h"

namespace nnvk::vulkan {

using RecordCommands = std::function<void(VkCommandBuffer commands)>;

struct OneOff {
  const char* what;  // a literal for messages: "a copy"
  RecordCommands record;
};

// Calls `retire` when the commands have completed, but not if submit_once() fails. Never waits.
Status submit_once(Gpu& gpu, Activity& activity, const OneOff& commands, CompletionQueue::Retire retire);

// Waits for the commands; do not call it on the completion thread. MISSED_DEADLINE_TRANSIENT if the deadline passes first. `used`
// stays alive until the commands have completed, even if the function returns earlier.
Status run_once(Gpu& gpu, Activity& activity, const OneOff& commands, std::shared_ptr<const void> used, const Deadline& deadline);

}  // namespace nnvk::vulkan
