// Greedy-by-size offset assignment over dependency levels.
#include "core/plan/memory_planner.h"

#include <algorithm>
#include <bit>
#include <limits>
#include <numeric>

namespace nnvk {

Result<ArenaPlan> plan_arena(std::span<const TensorLifetime> lifetimes, uint64_t alignment) {
  if (!std::has_single_bit(alignment)) {
    return fail(Code::kBadData, "arena alignment " + std::to_string(alignment) + " is not a power of two");
  }
  for (size_t i = 0; i < lifetimes.size(); ++i) {
    if (lifetimes[i].last_level < lifetimes[i].first_level) {
      return fail(Code::kBadData, "tensor " + std::to_string(i) + " ends at level " + std::to_string(lifetimes[i].last_level) +
                                      " before it begins at level " + std::to_string(lifetimes[i].first_level));
    }
  }

  std::vector<size_t> order(lifetimes.size());
  std::iota(order.begin(), order.end(), size_t{0});
  std::stable_sort(order.begin(), order.end(), [&](size_t a, size_t b) { return lifetimes[a].size > lifetimes[b].size; });

  ArenaPlan plan;
  plan.offsets.assign(lifetimes.size(), 0);
  std::vector<size_t> placed;  // sorted by offset
  placed.reserve(lifetimes.size());
  const auto overlaps_in_time = [&](size_t a, size_t b) {
    return lifetimes[a].first_level <= lifetimes[b].last_level && lifetimes[b].first_level <= lifetimes[a].last_level;
  };

  constexpr uint64_t kLimit = std::numeric_limits<uint64_t>::max() / 2;
  for (const size_t tensor : order) {
    const uint64_t size = lifetimes[tensor].size;
    if (size == 0) continue;
    uint64_t offset = 0;
    for (const size_t other : placed) {
      if (!overlaps_in_time(tensor, other)) continue;
      if (offset + size <= plan.offsets[other]) break;  // fits into the gap before `other`
      const uint64_t end = plan.offsets[other] + lifetimes[other].size;
      offset = std::max(offset, (end + alignment - 1) & ~(alignment - 1));
    }
    if (size > kLimit || offset > kLimit - size) {
      return fail(Code::kOutOfMemory, "temporary tensors need more than 2^63 bytes");
    }
    plan.offsets[tensor] = offset;
    plan.size = std::max(plan.size, offset + size);
    const auto position =
        std::upper_bound(placed.begin(), placed.end(), offset, [&](uint64_t value, size_t i) { return value < plan.offsets[i]; });
    placed.insert(position, tensor);
  }
  return plan;
}

}  // namespace nnvk
