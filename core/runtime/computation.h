// One computation of an execution, until its result is known. It starts at once or when its dependencies have signalled, on its
// devices or, after their failure, on the CPU. All modes are the same asynchronous submission.
#pragma once

#include <atomic>
#include <cstdint>
#include <memory>
#include <mutex>
#include <optional>
#include <span>
#include <vector>

#include "core/base/deadline.h"
#include "core/base/result.h"
#include "core/runtime/device.h"
#include "core/runtime/execution_pictures.h"
#include "core/runtime/fence.h"
#include "core/runtime/host_reason.h"

namespace nnvk {

class Compilation;
class Execution;

struct Outcome {
  Status result;
  std::shared_ptr<const ExecutionReport> report = nullptr;  // may be null
  bool is_fallback = false;                                 // it ran on the CPU after a failure
  uint64_t waited_nanoseconds = 0;                          // for dependencies, before the launch
  ConversionTimes conversion = {};                          // of pictures, before the model ran
};

// The computation's place in its device's queue: null before the device has it and after it has ended. CurrentPlace is
// thread-safe.
class CurrentPlace {
 public:
  // Sets the place when the device has the computation, and null when the computation has ended.
  void set(std::shared_ptr<const QueuePlace> place) noexcept {
    const bool is_queued = place != nullptr;
    {
      const std::lock_guard lock(mutex_);
      place_.swap(place);
    }
    queued_.settle(is_queued ? Status() : fail(Code::kBadState, {}));
  }
  std::shared_ptr<const QueuePlace> get() const {
    const std::lock_guard lock(mutex_);
    return place_;
  }
  // Returns a fence that signals when the device has the computation, on the thread that submits it. The fence fails if the
  // computation ends without having been in a queue. From now on the computation should be queued, not run by the thread that
  // launches it, so that others can follow it.
  const Fence& queued() const {
    is_followed_ = true;
    return queued_;
  }
  bool is_followed() const { return is_followed_; }

 private:
  mutable std::mutex mutex_;
  std::shared_ptr<const QueuePlace> place_;
  const Fence queued_ = Fence::pending();
  mutable std::atomic<bool> is_followed_{false};
};

struct Dependency {
  Fence fence;
  std::shared_ptr<const CurrentPlace> place;  // null: it is never in a device's queue
  bool is_foreign = false;
};

class Computation : public std::enable_shared_from_this<Computation> {
 public:
  enum class Mode : uint8_t { kSynchronous, kAsynchronous, kFenced };

  // If `may_compute_here`, a CPU device may compute on the launching thread: the caller waits anyway, or the thread is a launch
  // thread.
  Computation(std::shared_ptr<Execution> execution, Mode mode, bool may_compute_here);

  Mode mode() const { return mode_; }
  // Returns the fence that settles with the result, after the execution has stored it.
  const Fence& done() const { return done_; }
  // Sets the semaphores of the computation. Call it before the launch. A launch that succeeds guarantees the waits and signals of
  // `sync`, even after errors.
  void set_sync(std::shared_ptr<DeviceSync> sync) { sync_ = std::move(sync); }
  // Returns the place by which the dependants of a fenced computation can follow it in the device's queue.
  const std::shared_ptr<const CurrentPlace>& place() const { return shown_place_; }

  // Submits the computation to the device, or to the CPU for a fallback. Returns the errors that occur before the launch; done()
  // has later ones.
  Status launch(const Deadline& deadline);
  // Submits the computation to the device behind its dependencies, without the host in between: at once, or as soon as the device
  // has all of them. If that is impossible, launches the computation on a launch thread when all dependencies have signalled. The
  // computation must end within `nanoseconds` from then on (0: no limit). If a dependency fails or the timeout passes first, ends
  // the computation without running it. Fails if no thread can watch the timeout.
  Status launch_after(std::vector<Dependency> dependencies, const Deadline& timeout, uint64_t nanoseconds);
  // Ends the computation; later calls do nothing. Never fails.
  void finish(Status result, std::shared_ptr<const ExecutionReport> report = nullptr) noexcept;

 private:
  using Converted = std::shared_ptr<const ConvertedInputs>;
  const Compilation& compilation() const;
  Status check_files() const;
  Result<Request> make_request(const Deadline& deadline);
  // Copies the inputs that nnvk reads several times because sizes and places depend on them, and binds the copies. Otherwise
  // other processes could change the client's memory between the reads.
  void copy_inputs_read_by_host(Request& request);
  Status submit(const Deadline& deadline);
  Status submit_to(PreparedPlan& plan, const Request& request, Converted converted);
  void submit_after(Converted converted, PreparedPlan& plan, const Request& request);
  // The dependencies of a computation and its limits: launch_after().
  struct Following {
    std::vector<Dependency> dependencies;
    Deadline timeout;
    uint64_t nanoseconds;
  };
  std::optional<HostReason> launch_behind(const Following& following);
  Status wait_for_dependencies(const Following& following, HostReason reason);
  void launch_when_queued(Following following);
  // Returns true to the first caller alone.
  bool claim_launch() { return !is_launched_.exchange(true); }
  bool submit_behind(PreparedPlan& plan, const Request& request, std::span<const Fence> dependencies, Converted converted);
  void take_in(const Submission& submission, Converted converted) noexcept;
  void on_device_done(const Status& result, const std::shared_ptr<const ExecutionReport>& report) noexcept;
  bool should_fall_back(const Error& error, bool loop_timed_out) const;
  // Runs the whole computation once more, on the fallback's device; errors as for submit().
  Status fall_back(const Error& error);

  const std::shared_ptr<Execution> execution_;
  const Mode mode_;
  bool may_compute_here_;
  const Fence done_ = Fence::pending();
  const std::shared_ptr<CurrentPlace> place_ = std::make_shared<CurrentPlace>();
  const std::shared_ptr<const CurrentPlace> shown_place_ = place_;
  Outcome outcome_;
  std::shared_ptr<DeviceSync> sync_;
  std::atomic<bool> is_finished_{false};
  std::atomic<bool> is_launched_{false};  // by one of the ways of launch_after()
  std::vector<Binding> inputs_;           // the bindings of the request if copied_inputs_ replaces some
  std::vector<std::vector<std::byte>> copied_inputs_;
};

}  // namespace nnvk
