// Cuts a long recording into submissions, so that other work, deadlines and a game's frames need not wait for all of it.
#pragma once

#include <chrono>
#include <cstdint>
#include <mutex>
#include <span>
#include <utility>
#include <vector>

namespace nnvk::vulkan {

// The most time that one submission should take: far below the limit of any GPU watchdog, and far above the time that the host
// takes for the next submission.
inline constexpr std::chrono::milliseconds kLongestSubmission{50};

// Returns the dispatches at which further submissions begin, so that each submission takes about `longest`. All dispatches
// together take `whole`, each its share by `weights`. Empty if one submission is enough.
std::vector<size_t> submission_cuts(std::span<const uint64_t> weights, std::chrono::nanoseconds whole,
                                    std::chrono::nanoseconds longest);

// The time of a recording, learned from its first runs. Drivers compile during the very first run, so that run counts only if it
// was short enough for one submission.
class RunTimeEstimate {
 public:
  // Adds the time of a run. Returns true once, when the estimate is final.
  bool add(std::chrono::nanoseconds run);
  bool is_final() const { return is_final_; }
  // Returns a lower bound for later runs: the shortest run so far, or 0 after too few runs, because a busy host makes runs look
  // longer than they are.
  std::chrono::nanoseconds shortest() const { return runs_ < kFewRuns ? std::chrono::nanoseconds(0) : shortest_; }
  std::chrono::nanoseconds value() const { return value_; }

 private:
  static constexpr uint32_t kFewRuns = 8;

  uint32_t runs_ = 0;
  bool is_final_ = false;
  std::chrono::nanoseconds value_{0};
  std::chrono::nanoseconds shortest_{0};
};

// The cuts of the runs of one recording. The object is thread-safe.
class LearnedCuts {
 public:
  // `fixed`: cuts from the start, which never change. `weights`: the weights of the dispatches; if they are empty, nothing is cut
  // later.
  LearnedCuts(std::vector<size_t> fixed, std::vector<uint64_t> weights) : cuts_(std::move(fixed)), weights_(std::move(weights)) {}

  std::vector<size_t> get() const;
  // Records the time of a successful run. The final estimate decides into how many submissions later runs are cut.
  void learn(std::chrono::nanoseconds busy);
  // Returns whether the cuts are final.
  bool are_known() const;
  // Returns RunTimeEstimate::shortest() of the recording.
  std::chrono::nanoseconds expected_time() const;

 private:
  mutable std::mutex mutex_;
  RunTimeEstimate run_time_;
  std::vector<size_t> cuts_;
  const std::vector<uint64_t> weights_;
};

}  // namespace nnvk::vulkan
