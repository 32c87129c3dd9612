// The error of operations that are too large for a device, or need what it does not have.
#pragma once

#include <string>
#include <utility>

#include "core/base/result.h"

namespace nnvk::vulkan {

// RESOURCE_EXHAUSTED_PERSISTENT. Where shapes are known at compilation, placement declines the operation with `text` as its
// reason, and another device computes it; any other code of an emitter is left to the execution.
inline auto beyond_device(std::string text) { return fail(Code::kResourceExhaustedPersistent, std::move(text)); }

}  // namespace nnvk::vulkan
