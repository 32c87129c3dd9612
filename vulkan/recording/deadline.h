// When work must have started or finished.
#pragma once

#include <chrono>
#include <optional>

namespace nnvk::vulkan {

using Deadline = std::optional<std::chrono::steady_clock::time_point>;  // nothing: whenever

inline bool has_passed(const Deadline& deadline) { return deadline && std::chrono::steady_clock::now() >= *deadline; }

}  // namespace nnvk::vulkan
