// The deadline of render threads, which have no time to compile or to wait: what they need is there, or it comes from the
// driver's cache.
#pragma once

#include <chrono>

#include "core/base/deadline.h"
#include "core/base/result.h"

namespace nnvk::vulkan {

inline const Deadline kAtOnce = std::chrono::steady_clock::time_point::min();
inline bool is_at_once(const Deadline& deadline) { return deadline == kAtOnce; }

// A Code of nnvk's own functions (NNVK_NOT_PREPARED in nnvk/vulkan_interop.h): the call would have to compile or to wait.
inline constexpr auto kNotPrepared = static_cast<Code>(0x10001);

}  // namespace nnvk::vulkan
