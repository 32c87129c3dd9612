// The algorithm is greedy: it adds dispatches to a submission until the next dispatch would make it too long.
#include "vulkan/recording/submission_cuts.h"

#include <algorithm>
#include <numeric>

namespace nnvk::vulkan {

std::vector<size_t> submission_cuts(std::span<const uint64_t> weights, std::chrono::nanoseconds whole,
                                    std::chrono::nanoseconds longest) {
  if (whole <= longest) return {};
  const double total = std::accumulate(weights.begin(), weights.end(), 0.0);
  const double share = total * static_cast<double>(longest.count()) / static_cast<double>(whole.count());
  std::vector<size_t> cuts;
  double sum = 0;
  for (size_t d = 0; d < weights.size(); ++d) {
    const auto weight = static_cast<double>(weights[d]);
    if (d > 0 && sum + weight > share) {
      cuts.push_back(d);
      sum = 0;
    }
    sum += weight;
  }
  return cuts;
}

bool RunTimeEstimate::add(std::chrono::nanoseconds run) {
  shortest_ = runs_++ == 0 ? run : std::min(shortest_, run);
  if (is_final_) return false;
  value_ = run;
  is_final_ = runs_ > 1 || run <= kLongestSubmission;
  return is_final_;
}

std::vector<size_t> LearnedCuts::get() const {
  const std::lock_guard lock(mutex_);
  return cuts_;
}

void LearnedCuts::learn(std::chrono::nanoseconds busy) {
  const std::lock_guard lock(mutex_);
  if (!run_time_.add(busy) || !cuts_.empty()) return;
  cuts_ = submission_cuts(weights_, run_time_.value(), kLongestSubmission);
}

bool LearnedCuts::are_known() const {
  const std::lock_guard lock(mutex_);
  return !cuts_.empty() || run_time_.is_final();
}

std::chrono::nanoseconds LearnedCuts::expected_time() const {
  const std::lock_guard lock(mutex_);
  return run_time_.shortest();
}

}  // namespace nnvk::vulkan
