// Computing: from the client's call to the device and back. All modes share launch() and complete().
#include <algorithm>
#include <string_view>
#include <utility>

#include "core/base/log.h"
#include "core/base/trace.h"
#include "core/operations/rules/data_dependent_shape.h"
#include "core/runtime/event.h"
#include "core/runtime/execution.h"
#include "core/runtime/host_transfer.h"

namespace nnvk {
namespace {

using Clock = std::chrono::steady_clock;

}  // namespace

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
  waited_nanoseconds_ = 0;
  conversion_nanoseconds_ = {};
  return {};
}

Status Execution::check_all_set() const {
  for (size_t i = 0; i < inputs_.size(); ++i) {
    if (!inputs_[i].set) return fail(Code::kBadData, "input " + std::to_string(i) + " was not set");
  }
  for (size_t i = 0; i < outputs_.size(); ++i) {
    if (!outputs_[i].set) return fail(Code::kBadData, "output " + std::to_string(i) + " was not set");
  }
  return {};
}

Status Execution::check_descriptor_inputs() const {
  for (size_t i = 0; i < inputs_.size(); ++i) {
    if (inputs_[i].memory == nullptr) continue;
    if (const Status status = inputs_[i].memory->check_readable_as(inputs_[i].info.shape); !status) {
      return fail(status.error().at(OperandPlace{"input", static_cast<uint32_t>(i)}));
    }
  }
  return {};
}

// docs/nnapi/memory.md#hardware-buffers: before the CPU device runs the whole model.
Status Execution::check_usable_by_cpu() const {
  const auto check = [](const std::vector<Slot>& slots, MapAccess access, const char* what) -> Status {
    for (size_t i = 0; i < slots.size(); ++i) {
      if (slots[i].memory == nullptr) continue;
      if (const Status status = slots[i].memory->check_usable_by_cpu(access); !status) {
        return fail(status.error().at(OperandPlace{what, static_cast<uint32_t>(i)}));
      }
    }
    return {};
  };
  NNVK_TRY(check(inputs_, MapAccess::kRead, "input"));
  return check(outputs_, MapAccess::kWrite, "output");
}

Status Execution::check_fenced(uint64_t nanoseconds) const {
  if (nanoseconds != 0) NNVK_TRY(compilation_.require_one_explicit_device("a duration"));
  for (size_t i = 0; i < outputs_.size(); ++i) {
    if (outputs_[i].omitted()) continue;
    if (!is_fully_specified(outputs_[i].info)) {
      return fail(Code::kBadData, "output " + std::to_string(i) + " has the open shape " + outputs_[i].info.shape.to_string() +
                                      "; fenced computations need known shapes");
    }
  }
  return {};
}

Status Execution::make_bindings() {
  if (input_bindings_.size() == inputs_.size() && output_bindings_.size() == outputs_.size()) return {};  // computed before
  const trace::Section section("[NN_LR_PIO]bind");
  NNVK_TRY(check_pictures_at_launch());
  const auto bind = [this](const Slot& slot, MapAccess access) -> Result<Binding> {
    Binding binding;
    binding.shape = slot.info.shape;
    binding.omitted = slot.omitted();
    binding.data = slot.data;
    binding.size = slot.length;
    if (slot.memory == nullptr || (access == MapAccess::kRead && slot.is_picture())) return binding;
    if (DeviceMemory* memory = slot.memory->device_memory()) {
      binding.device_memory = memory;
      return binding;
    }
    NNVK_ASSIGN(const std::span<std::byte> bytes, slot.memory->map(access));
    const bool whole = slot.offset == 0 && slot.length == 0;
    binding.data = bytes.data() + slot.offset;
    binding.size = whole ? bytes.size() : slot.length;
    // What lies behind an output of open shape is only the device's to overwrite where the client allows padding.
    const bool is_exact = is_fully_specified(slot.info);
    if (access == MapAccess::kRead || padding_ || is_exact) binding.mapping = slot.memory->mapping(access);
    return binding;
  };
  std::vector<Binding> inputs;
  std::vector<Binding> outputs;
  for (size_t i = 0; i < inputs_.size(); ++i) {
    auto binding = bind(inputs_[i], MapAccess::kRead);
    if (!binding) return fail(binding.error().at(OperandPlace{"input", static_cast<uint32_t>(i)}));
    inputs.push_back(std::move(*binding));
  }
  for (size_t i = 0; i < outputs_.size(); ++i) {
    auto binding = bind(outputs_[i], MapAccess::kWrite);
    if (!binding) return fail(binding.error().at(OperandPlace{"output", static_cast<uint32_t>(i)}));
    outputs.push_back(std::move(*binding));
  }
  input_bindings_ = std::move(inputs);
  output_bindings_ = std::move(outputs);
  has_pictures_ = std::any_of(inputs_.begin(), inputs_.end(), [](const Slot& slot) { return slot.is_picture(); });
  return {};
}

bool Execution::should_fall_back(const Run& run, const Error& error, bool loop_timed_out) const {
  // A loop that ran out of time would do so again (docs/nnapi/devices.md#fallback-at-execution).
  return !run.is_fallback && error.code != Code::kOutputInsufficientSize && !loop_timed_out && compilation_.may_fall_back() &&
         !compilation_.is_on_cpu_alone();
}

Status Execution::submit(const Run& run, const Deadline& deadline) {
  const trace::Section section("[NN_LR_PE]submit");
  PreparedPlan* plan = &compilation_.runner();
  if (run.is_fallback) {
    NNVK_ASSIGN(plan, compilation_.fallback());
  }
  if (run.is_fallback || compilation_.is_on_cpu_alone()) NNVK_TRY(check_usable_by_cpu());
  if (has_passed(deadline)) {
    return fail(Code::kMissedDeadlinePersistent, "the time for the computation was over before it could start");
  }
  if (!has_pictures_) return submit_to(*plan, run, deadline, nullptr);
  NNVK_ASSIGN(auto converted, convert_pictures(run, deadline));
  submit_after(std::move(converted), *plan, run, deadline);
  return {};
}

Status Execution::submit_to(PreparedPlan& plan, const Run& run, const Deadline& deadline,
                            std::shared_ptr<const ConvertedInputs> converted) {
  Request request;
  request.inputs = converted != nullptr ? converted->bindings : input_bindings_;
  request.outputs = output_bindings_;
  request.deadline = deadline;
  request.loop_timeout = std::chrono::nanoseconds(loop_timeout_nanoseconds_);
  request.measure_timing = measure_timing_;
  request.profile = profile_;
  request.attributes = attributes_;
  request.may_run_inline = run.may_compute_here;
  request.may_run_again_on_cpu = run.mode != Mode::kFenced;
  if (log_enabled(Detail::kExecution)) {
    log_line(Detail::kExecution, "ExecutionBuilder", "computation starts on " + device_names(run));
  }
  NNVK_ASSIGN(const Submission submission,
              takes_all_device_memory(plan, request)
                  ? plan.submit(request)
                  : submit_through_host(plan, request, compilation_.runtime().launches(), compilation_.priority()));
  submission.done.on_settled(
      [self = shared_from_this(), run, report = submission.report, converted = std::move(converted)](const Status& done) mutable {
        if (converted != nullptr) self->add_durations(*converted);
        converted.reset();  // the client may write the picture again as soon as it hears of the end
        self->on_device_done(run, done && report != nullptr ? report->result : done, report);
      });
  return {};
}

Status Execution::fall_back(Run run, const Error& error) {
  log_line(LogLevel::kWarning, "ExecutionBuilder", error.text() + "; falling back to the CPU");
  run.is_fallback = true;
  return submit(run, std::nullopt);
}

Status Execution::launch(const Run& run, const Deadline& deadline) {
  return catch_out_of_memory([&] {
    Status status = submit(run, deadline);
    if (!status && should_fall_back(run, status.error(), false)) status = fall_back(run, status.error());
    return status;
  });
}

void Execution::on_device_done(const Run& run, const Status& result, const std::shared_ptr<const ExecutionReport>& report) {
  // A fenced computation that was launched has its result; clients have the fence already
  // (docs/nnapi/execution.md#fenced-computations).
  const bool loop_timed_out = report != nullptr && report->loop_timed_out;
  if (result || run.mode == Mode::kFenced || !should_fall_back(run, result.error(), loop_timed_out)) {
    return finish_run(run, result, report);
  }
  const Status posted = catch_out_of_memory([&]() -> Status {
    Run again = run;
    again.may_compute_here = true;
    const auto self = shared_from_this();
    compilation_.runtime().launches().prepare({compilation_.priority(),
                                               [self, again, error = result.error()] { return self->fall_back(again, error); },
                                               [self, run, waiting = compilation_.begin_waiting()](const Error& error) {
                                                 self->finish_run(run, fail(error), nullptr);
                                               }})();
    return {};
  });
  if (!posted) finish_run(run, posted, nullptr);
}

void Execution::finish_run(const Run& run, Status result, std::shared_ptr<const ExecutionReport> report) {
  complete(run, result, std::move(report));
  if (result) {
    run.done.signal();
  } else {
    run.done.fail(result.error());
  }
}

// "vulkan-llvmpipe" or "vulkan-llvmpipe, nnapi-reference".
std::string Execution::device_names(const Run& run) const {
  if (run.is_fallback) return compilation_.runtime().cpu().info().name;
  std::string names;
  for (const Device* device : compilation_.devices_used()) names += (names.empty() ? "" : ", ") + device->info().name;
  return names;
}

void Execution::complete(const Run& run, const Status& result, std::shared_ptr<const ExecutionReport> report) {
  const trace::Section section("[NN_LR_PR]complete");
  for (size_t i = 0; i < outputs_.size(); ++i) {
    if (outputs_[i].memory == nullptr) continue;
    if (result) {
      const bool known = report != nullptr && i < report->outputs.size();
      const Shape& declared = outputs_[i].info.shape;
      outputs_[i].memory->mark_written(known ? delivered_shape(declared, report->outputs[i].shape) : declared);
    } else {
      outputs_[i].memory->mark_undefined();
    }
  }
  const std::lock_guard lock(mutex_);
  result_ = result;
  report_ = std::move(report);
  device_ = device_names(run);
  wall_nanoseconds_ = static_cast<uint64_t>(std::chrono::nanoseconds(Clock::now() - started_).count());
  unacknowledged_ = run.mode == Mode::kFenced;
  if (run.mode != Mode::kFenced) state_ = State::kCompleted;
}

Status Execution::complete_early(Status status) {
  complete(Run{}, status, nullptr);
  return status;
}

Status Execution::prepare_to_run() {
  NNVK_TRY(begin());
  Status status = check_all_set();
  if (status) status = check_descriptor_inputs();
  return status ? status : complete_early(std::move(status));
}

Status Execution::compute() {
  NNVK_TRY(prepare_to_run());
  if (Status status = make_bindings(); !status) return complete_early(std::move(status));
  const Run run{Mode::kSynchronous, false, Fence::pending(), compilation_.runtime().settings().cpu_on_calling_thread};
  if (Status status = launch(run, deadline_after(timeout_nanoseconds_)); !status) return complete_early(std::move(status));
  return run.done.wait();
}

Status Execution::burst_compute(Burst& burst) {
  if (&burst.compilation() != &compilation_) {
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
  NNVK_TRY(prepare_to_run());
  const Run run{Mode::kAsynchronous, false, Fence::pending()};
  Status status = make_bindings();
  if (status) status = launch(run, deadline_after(timeout_nanoseconds_));
  // Clients learn of everything else from the event.
  if (!status) finish_run(run, std::move(status), nullptr);
  if (compilation_.runtime().settings().start_compute_waits) (void)run.done.wait();  // its result is the event's
  return Event::of_computation(run.done);
}

Result<std::unique_ptr<Event>> Execution::start_with_dependencies(std::span<const Event* const> dependencies,
                                                                  uint64_t nanoseconds) {
  NNVK_TRY(begin());
  const Deadline timeout = deadline_after(timeout_nanoseconds_);
  Status status = check_all_set();
  if (status) status = check_fenced(nanoseconds);
  if (status) status = make_bindings();
  const bool on_cpu = compilation_.is_on_cpu_alone();
  std::vector<Fence> wait_for;
  for (const Event* event : dependencies) {
    if (!status) break;
    Result<Fence> fence = event->dependency(compilation_.runtime().reactor());
    if (!fence) {
      status = fail(fence.error());
    } else if (on_cpu && event->is_foreign() && fence->state() == Fence::State::kError) {
      status = fence->result();
    } else {
      wait_for.push_back(*std::move(fence));
    }
  }
  if (!status) return fail(complete_early(std::move(status)).error());

  const bool must_wait =
      std::any_of(wait_for.begin(), wait_for.end(), [](const Fence& fence) { return fence.state() != Fence::State::kSignalled; });
  // The CPU device computes within the call when it need not wait for anything: its errors are the call's
  // (docs/nnapi/execution.md#modes).
  const bool computes_here = on_cpu && !must_wait;
  const Run run{Mode::kFenced, false, Fence::pending(),
                must_wait || (computes_here && compilation_.runtime().settings().cpu_on_calling_thread)};
  status = must_wait ? launch_after(std::move(wait_for), run, timeout, nanoseconds)
                     : launch(run, earlier(timeout, deadline_after(nanoseconds)));
  if (status && computes_here) status = run.done.wait();
  if (!status) return fail(complete_early(std::move(status)).error());
  return Event::of_fenced_computation(run.done, shared_from_this(), !on_cpu);
}

Status Execution::launch_after(std::vector<Fence> dependencies, const Run& run, const Deadline& timeout, uint64_t nanoseconds) {
  const Fence decided = Fence::pending();  // by the dependencies or by the end of the time, whichever comes first
  std::shared_ptr<void> timer;
  if (timeout) {
    NNVK_ASSIGN(timer, compilation_.runtime().reactor().call_at(*timeout, [decided] {
      decided.fail(
          {Code::kMissedDeadlinePersistent, "the time for the computation was over before its dependencies had signalled"});
    }));
  }
  const Fence ready = when_all(dependencies);
  const auto self = shared_from_this();
  const auto start = [self, run, timeout, nanoseconds] {
    {
      const std::lock_guard lock(self->mutex_);
      self->waited_nanoseconds_ = static_cast<uint64_t>(std::chrono::nanoseconds(Clock::now() - self->started_).count());
    }
    return self->launch(run, earlier(timeout, deadline_after(nanoseconds)));
  };
  const auto failed = [self, run, waiting = compilation_.begin_waiting()](const Error& error) {
    self->finish_run(run, fail(error), nullptr);
  };
  auto launch = compilation_.runtime().launches().prepare({compilation_.priority(), start, failed});
  // Foreign fences are watched while somebody holds them.
  decided.on_settled([launch = std::move(launch), failed, timer, held = std::move(dependencies)](const Status& result) {
    result ? launch() : failed(result.error());
  });
  ready.on_settled([decided](const Status& result) {
    if (result) return decided.signal();
    // The first cause, however long the chain of dependants is.
    constexpr std::string_view kNotRun = "not run because a dependency failed: ";
    const std::string cause = result.error().text();
    decided.fail({Code::kOpFailed, cause.starts_with(kNotRun) ? cause : std::string(kNotRun) + cause});
  });
  return {};
}

}  // namespace nnvk
