// Commands that run once: recorded, submitted, and let go when they have completed.
#pragma once

#include <volk.h>

#include <functional>

#include "core/base/result.h"
#include "vulkan/memory/buffer.h"
#include "vulkan/recording/gpu.h"

namespace nnvk::vulkan {

using RecordCommands = std::function<void(VkCommandBuffer commands)>;

// `retire` is called when the commands have completed; not when this fails. Never waits.
Status submit_once(Gpu& gpu, Activity& activity, const RecordCommands& record, CompletionQueue::Retire retire);

// Waits for the commands; not for the completion thread.
Status run_once(Gpu& gpu, Activity& activity, const RecordCommands& record);

}  // namespace nnvk::vulkan
