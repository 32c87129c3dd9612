#include "vulkan/recording/hazard_levels.h"

#include <algorithm>
#include <unordered_map>

namespace nnvk::vulkan {
namespace {

struct PastAccess {
  ByteAccess bytes;
  uint32_t level;
};

// Returns whether the rows of both have the same stride and never overlap: each row of b lies between two neighbouring rows of a.
bool interleave(const ByteAccess& a, const ByteAccess& b) {
  if (a.stride == 0 || a.stride != b.stride) return false;
  const uint64_t from_a_to_b = (b.begin % a.stride + a.stride - a.begin % a.stride) % a.stride;
  return from_a_to_b >= a.row && from_a_to_b + b.row <= a.stride;
}

bool conflicts(const ByteAccess& past, const ByteAccess& now) {
  return (past.writes || now.writes) && std::max(past.begin, now.begin) < std::min(past.end, now.end) && !interleave(past, now);
}

bool covers(const ByteAccess& now, const ByteAccess& past) {
  return now.stride == 0 && now.begin <= past.begin && past.end <= now.end;
}

}  // namespace

std::vector<uint32_t> assign_levels(std::span<const std::vector<ByteAccess>> dispatches) {
  std::unordered_map<uint32_t, std::vector<PastAccess>> history;
  std::vector<uint32_t> levels;
  levels.reserve(dispatches.size());
  for (const std::vector<ByteAccess>& accesses : dispatches) {
    uint32_t level = 0;
    for (const ByteAccess& access : accesses) {
      for (const PastAccess& past : history[access.resource]) {
        if (conflicts(past.bytes, access)) level = std::max(level, past.level + 1);
      }
    }
    for (const ByteAccess& access : accesses) {
      std::vector<PastAccess>& past = history[access.resource];
      // A write replaces earlier accesses that it covers: a dispatch that conflicts with them also conflicts with the write.
      if (access.writes) {
        std::erase_if(past, [&](const PastAccess& p) { return p.level < level && covers(access, p.bytes); });
      }
      past.push_back({access, level});
    }
    levels.push_back(level);
  }
  return levels;
}

}  // namespace nnvk::vulkan
