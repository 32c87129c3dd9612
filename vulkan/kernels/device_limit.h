// The error for operations that are too large for a device, or need a feature that it lacks.
#pragma once

#include <string>
#include <utility>

#include "core/base/result.h"

namespace nnvk::vulkan {

// Returns RESOURCE_EXHAUSTED_PERSISTENT with `text`. If shapes are known at compilation, placement declines the operation with
// `text` as its reason, and another device computes it. With any other error of an emitter, the device keeps the operation, and
// executions return the error.
inline auto beyond_device(std::string text) { return fail(Code::kResourceExhaustedPersistent, std::move(text)); }

}  // namespace nnvk::vulkan
