// How long the parent of a conformance run waits for the result of a case. Pure.
#pragma once

#include <algorithm>
#include <chrono>

namespace nnvk::tools::conformance {

// Times a process that runs a case. Time in which the process computes or waits for a processor does not count as waiting: slow
// cases of a software driver on a busy machine are no hangs. Even so, a case ends after kMostLimits limits.
class Patience {
 public:
  using Duration = std::chrono::nanoseconds;

  static constexpr int kMostLimits = 6;

  // Begins with a new case.
  void restart() { *this = {}; }

  // Notes that `passed` has gone by. `busy`: the time that all threads of the process have computed or waited for a processor,
  // since the process began. The first call of a case only notes `busy`.
  void pass(Duration passed, Duration busy) {
    const Duration computed = is_known_ ? std::clamp(busy - busy_, Duration(0), passed) : Duration(0);
    age_ += passed;
    waited_ += passed - computed;
    busy_ = busy;
    is_known_ = true;
  }

  Duration age() const { return age_; }
  Duration waited() const { return waited_; }
  bool is_over(Duration limit) const { return waited_ >= limit || age_ >= limit * kMostLimits; }

 private:
  Duration age_{};
  Duration waited_{};
  Duration busy_{};
  bool is_known_ = false;
};

}  // namespace nnvk::tools::conformance
