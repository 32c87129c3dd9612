#include "vulkan/queue/hang_watch.h"

namespace nnvk::vulkan {

std::optional<std::string> HangWatch::look(Time now, bool is_lost, const HangLimits& limits) {
  const auto standing = standstill_.look(now);
  if (is_lost && !lost_since_) lost_since_ = now;
  if (limits.at_end && !standstill_at_end_) standstill_at_end_.emplace(now);
  const bool is_given_up = limits.at_end && standstill_at_end_->look(now) >= *limits.at_end;
  if (lost_since_ && now - *lost_since_ >= kPatienceWithLost) return "was lost, but its work does not end";
  if (!lost_since_ && limits.standstill.count() > 0 && standing >= limits.standstill) {
    return "has completed nothing for " + std::to_string(limits.standstill.count()) + " ms";
  }
  if (is_given_up) return "is closed before its work has come to an end";
  return std::nullopt;
}

}  // namespace nnvk::vulkan
