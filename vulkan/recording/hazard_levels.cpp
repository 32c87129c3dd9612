// Level assignment over byte ranges.
#include "vulkan/recording/hazard_levels.h"

#include <algorithm>
#include <unordered_map>

namespace nnvk::vulkan {
namespace {

struct PastAccess {
  uint64_t begin;
  uint64_t end;
  uint32_t level;
  bool writes;
};

bool conflicts(const PastAccess& past, const ByteAccess& now) {
  return (past.writes || now.writes) && std::max(past.begin, now.begin) < std::min(past.end, now.end);
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
        if (conflicts(past, access)) level = std::max(level, past.level + 1);
      }
    }
    for (const ByteAccess& access : accesses) {
      std::vector<PastAccess>& past = history[access.resource];
      // A write that covers earlier accesses hides them: whoever conflicts with them conflicts with the write as well.
      if (access.writes) {
        std::erase_if(past,
                      [&](const PastAccess& p) { return p.level < level && access.begin <= p.begin && p.end <= access.end; });
      }
      past.push_back({access.begin, access.end, level, access.writes});
    }
    levels.push_back(level);
  }
  return levels;
}

}  // namespace nnvk::vulkan
