// Decides which submission the driver gets next. The driver's queue has no priorities, so it holds few submissions; others wait
// here, the most important first. A submission that depends on another has its turn as soon as the driver has the other.
#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <utility>

#include "core/base/deadline.h"
#include "core/base/result.h"
#include "vulkan/queue/queue_work.h"

namespace nnvk::vulkan {

// The rank of a submission among all that wait.
struct Turn {
  int32_t priority = 100;  // ANEURALNETWORKS_PRIORITY_*
  bool has_more = false;   // `retire` adds another submission of the same run; less important work waits for that one
  std::chrono::nanoseconds expected{0};  // the device's expected time for it
};

// A submission that waits for its turn.
struct WaitingWork {
  Turn turn;
  Deadline deadline;             // the driver does not get the work after it has passed
  bool is_continuation = false;  // not the first submission of its run: a missed deadline is then transient
  std::shared_ptr<QueueWork> work;
};

// Holds the submissions that wait for the driver, and chooses the one whose turn it is. It is thread-safe.
class Turns {
 public:
  // If the driver has this many submissions, further work waits here. With two, the device need not idle between submissions.
  static constexpr size_t kSubmittedAhead = 2;
  // Work that depends on the driver's pending work does not wait, as long as all submitted work is expected to take at most this
  // time. More important work may have to wait that long. Unknown durations (RunTimeEstimate) count as zero.
  static constexpr std::chrono::milliseconds kLongestAhead{500};

  // `device`: the device's name, for messages.
  explicit Turns(std::string device) : device_(std::move(device)) {}

  // Adds work. After stop(), take() refuses the work unless it continues a run. Throws std::bad_alloc without effect.
  void add(WaitingWork waiting);

  struct Taken {
    WaitingWork waited;
    Status may_run;  // why it fails without running: refused, its deadline has passed, or work that it depends on has failed
  };
  // Takes the submission whose turn it is: higher priority first, then in order, and none before the driver has the work that it
  // depends on. Returns nothing if none may be submitted now. A submission that may run counts as submitted until drop() or
  // complete().
  std::optional<Taken> take() noexcept;
  // Counts a submission that does not wait for its turn, with the default Turn. UNAVAILABLE_DEVICE after stop().
  Status take_at_once();
  // No longer counts the submission as submitted. Call it if the submission did not reach the driver.
  void drop(const Turn& turn);
  // No longer counts the submission as submitted. Call it when the submission has ended.
  void complete(const Turn& turn);
  // Lets less important work no longer wait for the turn's run. Call it after `retire` if the turn has more.
  void let_others_pass(const Turn& turn);

  // Refuses new runs from now on.
  void stop();
  // Both return whether nothing is submitted and nothing waits: is_over() after stop(), is_idle() before stop().
  bool is_over() const;
  bool is_idle() const;
  // Returns whether something is submitted, before stop().
  bool is_busy() const;

 private:
  using Waiting = std::multimap<int32_t, WaitingWork, std::greater<>>;
  Waiting::iterator next();
  bool is_empty() const { return submitted_ == 0 && waiting_.empty(); }
  Error stopped() const;

  const std::string device_;
  mutable std::mutex mutex_;
  Waiting waiting_;                       // equal priorities stay in order
  std::deque<WaitingWork> refused_;       // added after stop()
  size_t submitted_ = 0;                  // taken, and neither dropped nor completed
  std::map<int32_t, size_t> unfinished_;  // by priority: submissions that less important work must not overtake
  std::chrono::nanoseconds ahead_{0};     // expected time of all that is submitted
  bool is_stopped_ = false;
};

}  // namespace nnvk::vulkan
