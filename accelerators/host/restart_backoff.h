// Decides when a lost plugin host may restart: at once if it had run for a while, later and later if it keeps dying. Pure.
#pragma once

#include <algorithm>
#include <chrono>

namespace nnvk::accelerators {

class RestartBackoff {
 public:
  using Clock = std::chrono::steady_clock;

  struct Rule {
    std::chrono::milliseconds first{10};      // pause after the second loss in short order; doubled by each further one
    std::chrono::milliseconds longest{1000};  // no pause is longer
    std::chrono::milliseconds steady{2000};   // a host that ran this long does not keep dying
  };

  explicit RestartBackoff(const Rule& rule) : rule_(rule) {}

  // Notes that a host is being started.
  void started(Clock::time_point now) { started_ = now; }
  // Notes that the host was lost, or could not be started.
  void lost(Clock::time_point now) {
    losses_ = now - started_ >= rule_.steady ? 1 : losses_ + 1;
    Clock::duration pause{};
    if (losses_ > 1) {
      pause = rule_.first;
      for (unsigned i = 2; i < losses_ && pause < rule_.longest; ++i) pause *= 2;
      pause = std::min<Clock::duration>(pause, rule_.longest);
    }
    next_start_ = now + pause;
  }
  // Returns the earliest time of the next start; before the first loss, any time is allowed.
  Clock::time_point next_start() const { return next_start_; }
  // Returns the number of losses in short order so far.
  unsigned losses() const { return losses_; }

 private:
  Rule rule_;
  unsigned losses_ = 0;
  Clock::time_point started_{};
  Clock::time_point next_start_{};
};

}  // namespace nnvk::accelerators
