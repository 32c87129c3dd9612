// From the launch to the device and back.
#include "core/runtime/computation.h"

#include <utility>

#include "core/base/log.h"
#include "core/base/trace.h"
#include "core/runtime/execution.h"
#include "core/runtime/host_transfer.h"

namespace nnvk {

Computation::Computation(std::shared_ptr<Execution> execution, Mode mode, bool may_compute_here)
    : execution_(std::move(execution)), mode_(mode), may_compute_here_(may_compute_here) {}

const Compilation& Computation::compilation() const { return execution_->compilation(); }

Status Computation::launch(const Deadline& deadline) {
  return catch_out_of_memory([&] {
    Status status = submit(deadline);
    if (!status && should_fall_back(status.error(), false)) status = fall_back(status.error());
    return status;
  });
}

Status Computation::submit(const Deadline& deadline) {
  const trace::Section section("[NN_LR_PE]submit");
  PreparedPlan* plan = &compilation().runner();
  if (outcome_.is_fallback) {
    NNVK_ASSIGN(plan, compilation().fallback());
  }
  if (outcome_.is_fallback || compilation().is_on_cpu_alone()) NNVK_TRY(execution_->bindings_.check_usable_by_cpu());
  if (has_passed(deadline)) {
    return fail(Code::kMissedDeadlinePersistent, "the time for the computation was over before it could start");
  }
  Request request = execution_->settings_;
  request.inputs = execution_->bindings_.inputs();
  request.outputs = execution_->bindings_.outputs();
  request.deadline = deadline;
  request.may_run_inline = may_compute_here_;
  request.may_run_again_on_cpu = mode_ != Mode::kFenced;
  request.sync = sync_;
  if (!execution_->bindings_.has_pictures()) {
    request.caller_waits = mode_ == Mode::kSynchronous && may_compute_here_ && !outcome_.is_fallback;
    return submit_to(*plan, request, nullptr);
  }
  NNVK_ASSIGN(auto converted, ConvertedInputs::start(compilation(), execution_->bindings_, outcome_.is_fallback, request));
  request.inputs = converted->bindings();
  submit_after(std::move(converted), *plan, request);
  return {};
}

// `converted` keeps the inputs of the request; null: they are the client's.
Status Computation::submit_to(PreparedPlan& plan, const Request& request, std::shared_ptr<const ConvertedInputs> converted) {
  if (log_enabled(Detail::kExecution)) {
    log_line(Detail::kExecution, "ExecutionBuilder", "computation starts on " + compilation().device_names(outcome_.is_fallback));
  }
  NNVK_ASSIGN(const Submission submission,
              takes_all_device_memory(plan, request)
                  ? plan.submit(request)
                  : submit_through_host(plan, request, compilation().runtime().launches(), compilation().priority()));
  submission.done.on_settled(
      [self = shared_from_this(), report = submission.report, converted = std::move(converted)](const Status& done) mutable {
        if (converted != nullptr) self->outcome_.conversion = converted->times();
        converted.reset();  // the client may write the picture again as soon as it hears of the end
        self->on_device_done(done && report != nullptr ? report->result : done, report);
      });
  return {};
}

// Runs the model when its pictures are tensors.
void Computation::submit_after(std::shared_ptr<const ConvertedInputs> converted, PreparedPlan& plan, const Request& request) {
  const Fence ready = converted->ready();
  auto start = [self = shared_from_this(), &plan, request, ready, converted = std::move(converted)]() mutable -> Status {
    auto pictures = std::exchange(converted, nullptr);  // let go also where the model does not run
    NNVK_TRY(ready.result());
    return self->submit_to(plan, request, std::move(pictures));
  };
  auto failed = [self = shared_from_this(), waiting = compilation().begin_waiting()](const Error& error) {
    self->on_device_done(fail(error), nullptr);
  };
  compilation().runtime().launches().after(ready, {compilation().priority(), std::move(start), std::move(failed)});
}

bool Computation::should_fall_back(const Error& error, bool loop_timed_out) const {
  // A loop that ran out of time would do so again (docs/nnapi/devices.md#fallback-at-execution).
  return !outcome_.is_fallback && error.code != Code::kOutputInsufficientSize && !loop_timed_out &&
         compilation().may_fall_back() && !compilation().is_on_fallback_alone();
}

Status Computation::fall_back(const Error& error) {
  log_line(LogLevel::kWarning, "ExecutionBuilder", error.text() + "; falling back to the CPU");
  outcome_.is_fallback = true;
  return submit(std::nullopt);
}

// Runs on threads of devices: a fallback, which prepares a plan, is a launch of its own.
void Computation::on_device_done(const Status& result, const std::shared_ptr<const ExecutionReport>& report) {
  // A fenced computation that was launched has its result; clients have the fence already
  // (docs/nnapi/execution.md#fenced-computations).
  const bool loop_timed_out = report != nullptr && report->loop_timed_out;
  if (result || mode_ == Mode::kFenced || !should_fall_back(result.error(), loop_timed_out)) return finish(result, report);
  const Status posted = catch_out_of_memory([&]() -> Status {
    may_compute_here_ = true;
    const auto self = shared_from_this();
    const auto start = [self, error = result.error()] { return self->fall_back(error); };
    const auto failed = [self, waiting = compilation().begin_waiting()](const Error& error) { self->finish(fail(error)); };
    compilation().runtime().launches().prepare({compilation().priority(), start, failed})();
    return {};
  });
  if (!posted) finish(posted);
}

void Computation::finish(Status result, std::shared_ptr<const ExecutionReport> report) {
  if (sync_ != nullptr) sync_->abandon();  // nothing where a submission has it
  outcome_.result = result;
  outcome_.report = std::move(report);
  const LaunchQueue::Post task = execution_->complete(mode_, std::move(outcome_));
  done_.settle(std::move(result));
  if (task) task();
}

Status Computation::launch_after(std::vector<Fence> dependencies, const Deadline& timeout, uint64_t nanoseconds) {
  const Fence decided = Fence::pending();  // by the dependencies or by the end of the time, whichever comes first
  std::shared_ptr<void> timer;
  if (timeout) {
    NNVK_ASSIGN(timer, compilation().runtime().reactor().call_at(*timeout, [decided] {
      decided.fail(
          {Code::kMissedDeadlinePersistent, "the time for the computation was over before its dependencies had signalled"});
    }));
  }
  const Fence ready = when_all(dependencies);
  const auto self = shared_from_this();
  const auto start = [self, timeout, nanoseconds, began = std::chrono::steady_clock::now()] {
    const auto waited = std::chrono::steady_clock::now() - began;
    self->outcome_.waited_nanoseconds = static_cast<uint64_t>(std::chrono::nanoseconds(waited).count());
    return self->launch(earlier(timeout, deadline_after(nanoseconds)));
  };
  const auto failed = [self, waiting = compilation().begin_waiting()](const Error& error) { self->finish(fail(error)); };
  auto launch = compilation().runtime().launches().prepare({compilation().priority(), start, failed});
  // Foreign fences are watched while somebody holds them.
  decided.on_settled([launch = std::move(launch), failed, timer, held = std::move(dependencies)](const Status& result) {
    result ? launch() : failed(result.error());
  });
  ready.on_settled([decided](const Status& result) {
    if (result) return decided.signal();
    decided.fail(result.error().of_dependency());
  });
  return {};
}

}  // namespace nnvk
