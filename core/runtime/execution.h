// An execution: the client's bindings and settings, its state, and the last computation's result (docs/nnapi/execution.md#modes).
#pragma once

#include <atomic>
#include <chrono>
#include <cstdint>
#include <functional>
#include <memory>
#include <mutex>
#include <span>
#include <string>
#include <vector>

#include "core/base/result.h"
#include "core/runtime/compilation.h"
#include "core/runtime/computation.h"
#include "core/runtime/execution_bindings.h"
#include "core/runtime/memory.h"

namespace nnvk {

class Event;

inline constexpr uint64_t kMaximumLoopTimeoutNanoseconds = 15'000'000'000;

// Tells nnvk that executions of one compilation follow each other, one computation at a time. May outlive the compilation.
class Burst {
 public:
  explicit Burst(const Compilation& compilation) : compilation_(compilation.identity()) {}
  bool is_of(const Compilation& compilation) const { return compilation_ == compilation.identity(); }
  bool try_acquire() { return !busy_.exchange(true); }
  void release() { busy_.store(false); }

 private:
  const std::shared_ptr<const void> compilation_;  // its identity
  std::atomic<bool> busy_{false};
};

enum class DurationKind : int32_t { kOnHardware = 0, kInDriver = 1, kFencedOnHardware = 2, kFencedInDriver = 3 };

// Ownership is shared: events keep the execution alive until they have settled, whatever the client frees first.
class Execution : public std::enable_shared_from_this<Execution> {
 public:
  enum class State : uint8_t { kPreparation, kComputation, kCompleted };

  // Makes an execution. `compilation` is ready and outlives the execution's computations.
  static std::shared_ptr<Execution> create(const Compilation& compilation);

  // These functions return BAD_STATE once a computation was started.
  // Until then, set() does the same as ExecutionBindings::set().
  Status set(bool is_input, uint32_t index, const IoSource& source);
  // Does the same as ExecutionBindings::set_picture().
  Status set_input_picture(uint32_t index, const PictureConversion& conversion);
  Status enable_padding(bool enable);
  Status set_reusable(bool reusable);
  Status set_measure_timing(bool measure);
  Status set_timeout(uint64_t nanoseconds);
  Status set_loop_timeout(uint64_t nanoseconds);
  Status set_profiling(bool enable);
  Status add_extension_attribute(const std::string& extension, uint16_t code, const void* data, size_t length);

  // These functions compute. They return BAD_STATE while a computation runs or if the execution is used up.
  Status compute();
  Status burst_compute(Burst& burst);
  Result<std::unique_ptr<Event>> start_compute();
  // Starts a computation that follows the dependencies. Returns at once; but nnapi-reference computes within the call if all
  // dependencies have signalled. If a dependency fails, the event reports OP_FAILED; on nnapi-reference, the call reports a sync
  // fence that has already failed. `nanoseconds`: limit after the dependencies have signalled, 0 for none.
  Result<std::unique_ptr<Event>> start_with_dependencies(std::span<const Event* const> dependencies, uint64_t nanoseconds);

  // Returns the bindings in the devices' form, to record a computation instead of starting one; valid as long as the execution.
  // Fails unless everything is set, all shapes are known and no input is a picture. Changes no state.
  Result<Request> request_for_recording();
  // Computes on a device that waits for and signals `sync` (Request::sync). Without `wants_event` it returns null, and the
  // execution completes when the device has finished. NOT_RECORDABLE if the compilation is not a single submission of that
  // device; BAD_DATA if inputs or outputs would have to pass through the host.
  Result<std::unique_ptr<Event>> start_between(std::shared_ptr<DeviceSync> sync, std::span<const Event* const> dependencies,
                                               bool wants_event);

  // Writes a duration of the last computation to `value` (UINT64_MAX if unknown). Returns BAD_STATE, but also writes `value`,
  // unless the computation has completed.
  Status duration(DurationKind kind, uint64_t* value) const;
  // Returns the shape as computed (of unknown rank if it is not known).
  Result<OutputReport> output_shape(uint32_t index) const;

  // Ends the running state of a fenced computation, which lasts until a client has waited for its event. The event calls this
  // function.
  void acknowledge();
  // Allocates the memory that end_when_idle() needs to run `task`.
  void prepare_end(std::function<void()> task);
  // Runs the task of prepare_end() when no computation is in progress: at once, or on a launch thread after the current
  // computation. No computation can start from then on. Call it once, after prepare_end().
  void end_when_idle() noexcept;

  struct Summary {
    State state = State::kPreparation;
    Status result;
    std::string device;
    uint64_t wall_nanoseconds = 0;
    std::shared_ptr<const ExecutionReport> report;  // may be null
  };
  Summary summary() const;
  const Compilation& compilation() const { return compilation_; }

 private:
  friend class Computation;
  explicit Execution(const Compilation& compilation);
  Status require_preparation() const;
  template <class Setting>
  Status change(Setting& setting, Setting value);
  Status begin();
  // Makes the first checks of every kind of computation; an error completes the execution.
  Status prepare_to_run();
  Result<std::vector<Dependency>> find(std::span<const Event* const> dependencies) const;
  Result<std::shared_ptr<Computation>> start_fenced(std::span<const Event* const> dependencies, uint64_t nanoseconds,
                                                    Computation::Mode mode = Computation::Mode::kFenced,
                                                    std::shared_ptr<DeviceSync> sync = nullptr);
  Status check_takes(const DeviceSync& sync) const;
  // Completes the execution, which has not run, with `status`, and returns `status`.
  Status complete_early(Status status) noexcept;
  // Runs `start` after begin(), for every kind of computation. An error, or no memory for it, completes the execution.
  template <class Start>
  auto run_begun(const Start& start) -> decltype(start());

  // Ends the computation's state and stores its outcome. The ending computation calls it. Returns the task to post when all
  // waiters know the result, or nothing.
  LaunchQueue::Post complete(Computation::Mode mode, Outcome outcome) noexcept;
  bool is_computing() const { return state_ == State::kComputation && !unacknowledged_; }  // under mutex_

  const Compilation& compilation_;
  ExecutionBindings bindings_;
  Request settings_;  // of every computation: the client's settings
  uint64_t timeout_nanoseconds_ = 0;
  std::shared_ptr<ExtensionAttributes> attributes_;  // those of settings_
  bool reusable_ = false;
  mutable std::mutex mutex_;  // guards the following members
  State state_ = State::kPreparation;
  bool unacknowledged_ = false;  // a fenced computation has ended but its event was not waited for
  LaunchQueue::Post end_;        // posts the task of prepare_end() to a launch thread
  std::function<void()> end_here_;
  bool ends_when_idle_ = false;
  Outcome outcome_;  // of the last computation
  std::chrono::steady_clock::time_point started_;
  uint64_t wall_nanoseconds_ = 0;
};

}  // namespace nnvk
