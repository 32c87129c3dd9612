// Commands that run once: recorded, submitted, and let go when they have completed.
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

// `retire` is called when the commands have completed; not when this fails. Never waits.
Status submit_once(Gpu& gpu, Activity& activity, const OneOff& commands, CompletionQueue::Retire retire);

// Waits for the commands; not for the completion thread. `used` stays until they have completed, also when this returns before:
// MISSED_DEADLINE_TRANSIENT when the deadline passes.
Status run_once(Gpu& gpu, Activity& activity, const OneOff& commands, std::shared_ptr<const void> used, const Deadline& deadline);

}  // namespace nnvk::vulkan
