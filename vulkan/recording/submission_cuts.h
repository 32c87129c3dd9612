// Where a long recording is cut, so that other work, deadlines and a game's frames need not wait for all of it.
#pragma once

#include <chrono>
#include <cstdint>
#include <span>
#include <vector>

namespace nnvk::vulkan {

// What one submission should take at most: far below any watchdog, and far above what the way over the host costs.
inline constexpr std::chrono::milliseconds kLongestSubmission{50};

// The dispatches at which a further submission begins so that each takes about `longest`, when all together take `whole` and each
// its share of `weights`. Empty when one submission will do.
std::vector<size_t> submission_cuts(std::span<const uint64_t> weights, std::chrono::nanoseconds whole,
                                    std::chrono::nanoseconds longest);

// How long a recording takes, learned from its first runs: from the very first only when that was short enough for one
// submission, since drivers compile during it.
class RunTimeEstimate {
 public:
  // True once, when the estimate is final.
  bool add(std::chrono::nanoseconds run);
  bool is_final() const { return is_final_; }
  // What a later run takes at least: the shortest so far. 0 while too few are known: on a busy host they seem longer than they
  // are.
  std::chrono::nanoseconds shortest() const { return runs_ < kFewRuns ? std::chrono::nanoseconds(0) : shortest_; }
  std::chrono::nanoseconds value() const { return value_; }

 private:
  static constexpr uint32_t kFewRuns = 8;

  uint32_t runs_ = 0;
  bool is_final_ = false;
  std::chrono::nanoseconds value_{0};
  std::chrono::nanoseconds shortest_{0};
};

}  // namespace nnvk::vulkan
