// The deadline of render threads, which have no time to compile or to wait: what they need is there, or it comes from the
// driver's cache. Else calls fail with NOT_PREPARED.
#pragma once

#include <chrono>

#include "core/base/deadline.h"

namespace nnvk::vulkan {

inline const Deadline kAtOnce = std::chrono::steady_clock::time_point::min();
inline bool is_at_once(const Deadline& deadline) { return deadline == kAtOnce; }

}  // namespace nnvk::vulkan
