// Points in time at which work must have finished, and the time since it began.
#pragma once

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <optional>

namespace nnvk {

// The time by which work must end; nullopt means that there is no limit.
using Deadline = std::optional<std::chrono::steady_clock::time_point>;

// Returns the time in `nanoseconds` from now. Returns no limit for 0 and for times beyond the clock's range.
inline Deadline deadline_after(uint64_t nanoseconds) {
  using Clock = std::chrono::steady_clock;
  if (nanoseconds == 0) return std::nullopt;
  const auto now = Clock::now();
  const auto room = static_cast<uint64_t>((Clock::time_point::max() - now).count());
  if (nanoseconds >= room) return std::nullopt;
  return now + std::chrono::nanoseconds(nanoseconds);
}

inline bool has_passed(const Deadline& deadline) { return deadline && std::chrono::steady_clock::now() >= *deadline; }

inline uint64_t nanoseconds_since(std::chrono::steady_clock::time_point start) {
  return static_cast<uint64_t>(std::chrono::nanoseconds(std::chrono::steady_clock::now() - start).count());
}

inline Deadline earlier(const Deadline& a, const Deadline& b) {
  if (!a || !b) return a ? a : b;
  return std::min(*a, *b);
}

}  // namespace nnvk
