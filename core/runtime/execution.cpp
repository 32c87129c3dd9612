// Implements settings, computations in all modes, and queries about the last computation.
#include "core/runtime/execution.h"

#include <algorithm>
#include <utility>

#include "core/base/out_of_memory.h"
#include "core/base/trace.h"
#include "core/operations/rules/data_dependent_shape.h"
#include "core/runtime/event.h"
#include "core/runtime/host_transfer.h"

namespace nnvk {
namespace {

using Clock = std::chrono::steady_clock;
using Mode = Computation::Mode;

}  // namespace

std::shared_ptr<Execution> Execution::create(const Compilation& compilation) {
  return std::shared_ptr<Execution>(new Execution(compilation));
}

Execution::Execution(const Compilation& compilation)
    : compilation_(compilation), bindings_(compilation), outcome_{fail(Code::kBadState, "not computed yet")} {}

Status Execution::require_preparation() const {
  const std::lock_guard lock(mutex_);
  if (state_ == State::kPreparation) return {};
  return fail(Code::kBadState, state_ == State::kComputation ? "the execution is computing"
                                                             : "the execution was computed; its settings cannot change any more");
}

Status Execution::set(bool is_input, uint32_t index, const IoSource& source) {
  NNVK_TRY(require_preparation());
  return bindings_.set(is_input, index, source);
}

Status Execution::set_input_picture(uint32_t index, const PictureConversion& conversion) {
  NNVK_TRY(require_preparation());
  return bindings_.set_picture(index, conversion);
}

Status Execution::enable_padding(bool enable) {
  NNVK_TRY(require_preparation());
  return bindings_.enable_padding(enable);
}

template <class Setting>
Status Execution::change(Setting& setting, Setting value) {
  NNVK_TRY(require_preparation());
  setting = value;
  return {};
}

Status Execution::set_reusable(bool reusable) { return change(reusable_, reusable); }

Status Execution::set_measure_timing(bool measure) {
  NNVK_TRY(compilation_.require_one_explicit_device("measuring time"));
  return change(settings_.measure_timing, measure);
}

Status Execution::set_timeout(uint64_t nanoseconds) {
  NNVK_TRY(compilation_.require_one_explicit_device("a timeout"));
  return change(timeout_nanoseconds_, nanoseconds);
}

Status Execution::set_loop_timeout(uint64_t nanoseconds) {
  return change(settings_.loop_timeout, std::chrono::nanoseconds(std::min(nanoseconds, kMaximumLoopTimeoutNanoseconds)));
}

Status Execution::set_profiling(bool enable) { return change(settings_.profile, enable); }

Status Execution::add_extension_attribute(const std::string& extension, uint16_t code, const void* data, size_t length) {
  NNVK_TRY(compilation_.require_one_explicit_device("an extension attribute"));
  NNVK_TRY(require_preparation());
  if (attributes_ == nullptr) attributes_ = std::make_shared<ExtensionAttributes>();
  settings_.attributes = attributes_;
  return add_attribute(*attributes_, compilation_.runtime().extensions(), extension, code,
                       {static_cast<const std::byte*>(data), length});
}

Status Execution::begin() {
  const std::lock_guard lock(mutex_);
  if (state_ == State::kComputation) {
    return fail(Code::kBadState, "the execution is computing already; wait for its event first");
  }
  if (state_ == State::kCompleted && !reusable_) {
    return fail(Code::kBadState, "the execution was computed; only an execution made reusable can be computed again");
  }
  state_ = State::kComputation;
  unacknowledged_ = false;
  started_ = Clock::now();
  return {};
}

template <class Start>
auto Execution::run_begun(const Start& start) -> decltype(start()) {
  auto started = catch_out_of_memory(start);
  if (!started) return fail(complete_early(fail(std::move(started).error())).error());
  return started;
}

Status Execution::prepare_to_run() {
  NNVK_TRY(bindings_.check_all_set());
  return bindings_.check_inputs_readable();
}

Result<Request> Execution::request_for_recording() {
  NNVK_TRY(bindings_.check_all_set());
  NNVK_TRY(bindings_.check_output_shapes_known());
  NNVK_TRY(bindings_.map());
  if (bindings_.has_pictures())
    return fail(Code::kBadData,
                "a recorded execution cannot take a picture as input: convert the picture into a buffer of the device before");
  NNVK_TRY(compilation_.check_constant_files());
  NNVK_TRY(bindings_.check_files());
  Request request = settings_;
  request.inputs = bindings_.inputs();
  request.outputs = bindings_.outputs();
  return request;
}

Status Execution::compute() {
  NNVK_TRY(begin());
  NNVK_ASSIGN(const Fence done, run_begun([this]() -> Result<Fence> {
                NNVK_TRY(prepare_to_run());
                const bool may_compute_here = compilation_.runtime().settings().cpu_on_calling_thread;
                const auto computation = std::make_shared<Computation>(shared_from_this(), Mode::kSynchronous, may_compute_here);
                NNVK_TRY(bindings_.map());
                NNVK_TRY(computation->launch(deadline_after(timeout_nanoseconds_)));
                return computation->done();
              }));
  return done.wait();
}

Status Execution::burst_compute(Burst& burst) {
  if (!burst.is_of(compilation_)) {
    return fail(Code::kBadData, "the burst and the execution belong to different compilations");
  }
  if (!burst.try_acquire()) return fail(Code::kBadState, "the burst is in use by another thread");
  struct Release {
    Burst& burst;
    ~Release() { burst.release(); }
  } release{burst};
  return compute();
}

Result<std::unique_ptr<Event>> Execution::start_compute() {
  std::unique_ptr<Event> event = Event::of_nothing();
  NNVK_TRY(begin());
  NNVK_ASSIGN(const auto computation, run_begun([this]() -> Result<std::shared_ptr<Computation>> {
                NNVK_TRY(prepare_to_run());
                auto made = std::make_shared<Computation>(shared_from_this(), Mode::kAsynchronous, false);
                // From here on, errors go to the event, not to the caller.
                Status status = catch_out_of_memory([this] { return bindings_.map(); });
                if (status) status = made->launch(deadline_after(timeout_nanoseconds_));
                if (!status) made->finish(std::move(status));
                return made;
              }));
  if (compilation_.runtime().settings().start_compute_waits) (void)computation->done().wait();  // the event reports the result
  event->become(computation->done(), nullptr, false, nullptr);
  return event;
}

Result<std::unique_ptr<Event>> Execution::start_with_dependencies(std::span<const Event* const> dependencies,
                                                                  uint64_t nanoseconds) {
  std::unique_ptr<Event> event = Event::of_nothing();
  NNVK_TRY(begin());
  NNVK_ASSIGN(const auto computation, run_begun([&] { return start_fenced(dependencies, nanoseconds); }));
  event->become(computation->done(), shared_from_this(), !compilation_.is_on_reference_alone(), computation->place());
  return event;
}

Result<std::unique_ptr<Event>> Execution::start_between(std::shared_ptr<DeviceSync> sync,
                                                        std::span<const Event* const> dependencies, bool wants_event) {
  std::unique_ptr<Event> event = Event::of_nothing();
  const Mode mode = wants_event ? Mode::kFenced : Mode::kAsynchronous;
  NNVK_TRY(begin());
  NNVK_ASSIGN(const auto computation, run_begun([&] { return start_fenced(dependencies, 0, mode, std::move(sync)); }));
  if (!wants_event) return nullptr;
  event->become(computation->done(), shared_from_this(), true, computation->place());
  return event;
}

Status Execution::check_takes(const DeviceSync& sync) const {
  if (!compilation_.runner().takes_sync(sync)) {
    return fail(
        Code::kNotRecordable,
        "the compilation runs in several steps or on another device (" + compilation_.device_names(false) +
            "), so the device cannot wait and signal for it; compile the model for the imported device alone, or use events");
  }
  if (bindings_.has_pictures()) {
    return fail(Code::kBadData,
                "an input is a picture, which is converted in a step of its own; use events instead of semaphores");
  }
  Request request;
  request.inputs = bindings_.inputs();
  request.outputs = bindings_.outputs();
  if (takes_all_device_memory(compilation_.runner(), request)) return {};
  return fail(
      Code::kBadData,
      "an input or output lies in memory that only another device reaches, or the host must know its values; bind memory of "
      "the imported device or of the host");
}

Result<std::shared_ptr<Computation>> Execution::start_fenced(std::span<const Event* const> dependencies, uint64_t nanoseconds,
                                                             Mode mode, std::shared_ptr<DeviceSync> sync) {
  const Deadline timeout = deadline_after(timeout_nanoseconds_);
  NNVK_TRY(bindings_.check_all_set());
  if (nanoseconds != 0) NNVK_TRY(compilation_.require_one_explicit_device("a duration"));
  NNVK_TRY(bindings_.check_output_shapes_known());
  NNVK_TRY(bindings_.map());
  if (sync != nullptr) NNVK_TRY(check_takes(*sync));
  NNVK_ASSIGN(std::vector<Dependency> waits_for, find(dependencies));
  const bool must_wait = std::any_of(waits_for.begin(), waits_for.end(), [](const Dependency& dependency) {
    return dependency.fence.state() != Fence::State::kSignalled;
  });
  if (must_wait) {
    const auto computation = std::make_shared<Computation>(shared_from_this(), mode, true);
    computation->set_sync(sync);
    NNVK_TRY(computation->launch_after(std::move(waits_for), timeout, nanoseconds));
    return computation;
  }
  // The reference computes within the call, so the call returns its errors (docs/nnapi/execution.md#modes).
  const bool on_reference = compilation_.is_on_reference_alone();
  const bool may_compute_here = on_reference && compilation_.runtime().settings().cpu_on_calling_thread;
  const auto computation = std::make_shared<Computation>(shared_from_this(), mode, may_compute_here);
  computation->set_sync(std::move(sync));
  NNVK_TRY(computation->launch(earlier(timeout, deadline_after(nanoseconds))));
  if (on_reference) NNVK_TRY(computation->done().wait());
  return computation;
}

Result<std::vector<Dependency>> Execution::find(std::span<const Event* const> dependencies) const {
  std::vector<Dependency> found;
  for (const Event* event : dependencies) {
    NNVK_ASSIGN(Dependency dependency, event->dependency(compilation_.runtime().reactor()));
    const bool has_failed = event->is_foreign() && dependency.fence.state() == Fence::State::kError;
    if (has_failed && compilation_.is_on_reference_alone()) NNVK_TRY(dependency.fence.result());
    found.push_back(std::move(dependency));
  }
  return found;
}

Status Execution::complete_early(Status status) noexcept {
  const auto self = shared_from_this();  // the task may free the execution
  if (const auto task = complete(Mode::kSynchronous, {status})) task();
  return status;
}

LaunchQueue::Post Execution::complete(Computation::Mode mode, Outcome outcome) noexcept {
  const trace::Section section("[NN_LR_PR]complete");
  const Status marked = catch_out_of_memory([&]() -> Status {
    bindings_.mark_outputs(outcome.result, outcome.report != nullptr ? outcome.report->outputs : std::span<const OutputReport>());
    return {};
  });
  if (!marked && outcome.result) outcome.result = marked;
  const std::lock_guard lock(mutex_);
  outcome_ = std::move(outcome);
  wall_nanoseconds_ = nanoseconds_since(started_);
  unacknowledged_ = mode == Mode::kFenced;
  if (mode != Mode::kFenced) state_ = State::kCompleted;
  return ends_when_idle_ ? std::exchange(end_, nullptr) : nullptr;
}

Status Execution::duration(DurationKind kind, uint64_t* value) const {
  *value = kNoDuration;
  const std::lock_guard lock(mutex_);
  if (state_ != State::kCompleted) return fail(Code::kBadState, "the execution has not completed");
  if (!outcome_.result) return fail(Code::kBadState, "the last computation failed: " + outcome_.result.error().text());
  if (!settings_.measure_timing) {
    return fail(Code::kBadState, "durations were not requested by ANeuralNetworksExecution_setMeasureTiming");
  }
  if (outcome_.report == nullptr) return {};
  // Devices measure from the moment when all dependencies have signalled. IN_DRIVER starts at the client's call, so it contains
  // the wait for the dependencies. ON_HARDWARE does not, and equals FENCED_ON_HARDWARE.
  const ExecutionReport& report = *outcome_.report;
  const bool hardware = kind == DurationKind::kOnHardware || kind == DurationKind::kFencedOnHardware;
  *value = hardware ? report.hardware_nanoseconds : report.driver_nanoseconds;
  if (*value == kNoDuration) return {};
  // Device and host have different clocks, but the time on hardware must not exceed the time in the driver.
  *value = std::min(*value, report.driver_nanoseconds);
  const ConversionTimes& c = outcome_.conversion;
  *value += hardware ? std::min(c.hardware, c.driver) : c.driver;
  if (kind == DurationKind::kInDriver) *value += outcome_.waited_nanoseconds;
  return {};
}

Result<OutputReport> Execution::output_shape(uint32_t index) const {
  const std::lock_guard lock(mutex_);
  if (state_ != State::kCompleted) return fail(Code::kBadState, "the execution has not completed");
  if (!outcome_.result && outcome_.result.error().code != Code::kOutputInsufficientSize) {
    return fail(Code::kBadState, "the last computation failed: " + outcome_.result.error().text());
  }
  NNVK_ASSIGN(const Shape declared, bindings_.output_shape(index));
  if (outcome_.report == nullptr || index >= outcome_.report->outputs.size()) return OutputReport{declared, true};
  const OutputReport& report = outcome_.report->outputs[index];
  return OutputReport{delivered_shape(declared, report.shape), report.sufficient};
}

void Execution::acknowledge() {
  const std::lock_guard lock(mutex_);
  if (!unacknowledged_) return;
  unacknowledged_ = false;
  state_ = State::kCompleted;
}

void Execution::prepare_end(std::function<void()> task) {
  const auto run = [task]() -> Status {
    task();
    return {};
  };
  end_ = compilation_.runtime().launches().prepare({compilation_.priority(), run, [](const Error&) {}});
  end_here_ = std::move(task);
}

void Execution::end_when_idle() noexcept {
  {
    const std::lock_guard lock(mutex_);
    ends_when_idle_ = true;
    if (is_computing()) return;
  }
  const auto task = std::exchange(end_here_, nullptr);  // which may destroy this
  task();
}

Execution::Summary Execution::summary() const {
  const std::lock_guard lock(mutex_);
  return {state_, outcome_.result, compilation_.device_names(outcome_.is_fallback), wall_nanoseconds_, outcome_.report};
}

}  // namespace nnvk
