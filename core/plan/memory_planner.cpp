// Assigns offsets to tensors, the largest first, by the dependency levels at which they are alive.
#include "core/plan/memory_planner.h"

#include <algorithm>
#include <bit>
#include <limits>
#include <numeric>
#include <utility>

namespace nnvk {
namespace {

// Finds the added tensors that are alive together with another one: the life of one of the two begins during that of the other.
// So only levels at which a life begins matter; "beginnings" are these levels, numbered from 0.
class LiveTensors {
 public:
  explicit LiveTensors(std::span<const TensorLifetime> lifetimes) : lifetimes_(lifetimes) {
    for (const TensorLifetime& lifetime : lifetimes) levels_.push_back(lifetime.first_level);
    std::sort(levels_.begin(), levels_.end());
    levels_.erase(std::unique(levels_.begin(), levels_.end()), levels_.end());
    beginning_at_.resize(levels_.size());
    covering_.resize(2 * levels_.size());
  }

  void add(size_t tensor) {
    const auto [first, end] = beginnings_of(tensor);
    beginning_at_[first].push_back(tensor);
    // Adds the tensor to the few nodes of a segment tree over the beginnings that together cover the tensor's life.
    for (size_t low = first + levels_.size(), high = end + levels_.size(); low < high; low /= 2, high /= 2) {
      if (low % 2 == 1) covering_[low++].push_back(tensor);
      if (high % 2 == 1) covering_[--high].push_back(tensor);
    }
  }

  // Returns the added tensors that are alive together with `tensor`, each once, in no order.
  std::vector<size_t> alive_with(size_t tensor) const {
    const auto [first, end] = beginnings_of(tensor);
    std::vector<size_t> found;
    for (size_t b = first; b < end; ++b) found.insert(found.end(), beginning_at_[b].begin(), beginning_at_[b].end());
    for (size_t node = first + levels_.size(); node > 0; node /= 2) {  // the nodes that cover the leaf are its ancestors
      for (const size_t other : covering_[node]) {
        if (lifetimes_[other].first_level < lifetimes_[tensor].first_level) found.push_back(other);
      }
    }
    return found;
  }

 private:
  // Returns [first, second): the beginnings during the tensor's life.
  std::pair<size_t, size_t> beginnings_of(size_t tensor) const {
    const auto first = std::lower_bound(levels_.begin(), levels_.end(), lifetimes_[tensor].first_level);
    const auto end = std::upper_bound(first, levels_.end(), lifetimes_[tensor].last_level);
    return {static_cast<size_t>(first - levels_.begin()), static_cast<size_t>(end - levels_.begin())};
  }

  std::span<const TensorLifetime> lifetimes_;
  std::vector<uint32_t> levels_;
  std::vector<std::vector<size_t>> beginning_at_;
  std::vector<std::vector<size_t>> covering_;
};

}  // namespace

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
  LiveTensors placed(lifetimes);

  constexpr uint64_t kLimit = std::numeric_limits<uint64_t>::max() / 2;
  for (const size_t tensor : order) {
    const uint64_t size = lifetimes[tensor].size;
    if (size == 0) continue;
    uint64_t offset = 0;
    std::vector<size_t> others = placed.alive_with(tensor);
    std::sort(others.begin(), others.end(), [&](size_t a, size_t b) { return plan.offsets[a] < plan.offsets[b]; });
    for (const size_t other : others) {
      if (offset + size <= plan.offsets[other]) break;  // fits into the gap before `other`
      const uint64_t end = plan.offsets[other] + lifetimes[other].size;
      offset = std::max(offset, (end + alignment - 1) & ~(alignment - 1));
    }
    if (size > kLimit || offset > kLimit - size) {
      return fail(Code::kOutOfMemory, "temporary tensors need more than 2^63 bytes");
    }
    plan.offsets[tensor] = offset;
    plan.size = std::max(plan.size, offset + size);
    placed.add(tensor);
  }
  return plan;
}

}  // namespace nnvk
