// Allocates device memory for one buffer within the budget, from Vulkan or from the application that owns the device.
#pragma once

#include <volk.h>

#include <string_view>

#include "core/base/result.h"
#include "vulkan/context/context.h"

namespace nnvk::vulkan {

// Allocates memory for a buffer with these requirements, mapped unless `use` is kDevice. `what` names it in errors: "arena of
// MODEL". RESOURCE_EXHAUSTED_* if it exceeds the device's budget.
Result<MemoryBlock> allocate_block(Context& context, const VkMemoryRequirements& wanted, MemoryUse use, std::string_view what);

// Frees the block, to which nothing may be bound any more.
void free_block(Context& context, const MemoryBlock& block);

}  // namespace nnvk::vulkan
