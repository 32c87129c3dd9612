// Launches computations, submits them to their devices and takes their results.
#include "core/runtime/computation.h"

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <optional>
#include <string>
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
  return catch_out_of_memory([&]() -> Status {
    NNVK_TRY(check_files());
    Status status = submit(deadline);
    if (!status && should_fall_back(status.error(), false)) status = fall_back(status.error());
    return status;
  });
}

// Fails if a mapped file has become too short, because a read behind its end would end the process by a signal.
Status Computation::check_files() const {
  NNVK_TRY(compilation().check_constant_files());
  return execution_->bindings_.check_files();
}

Result<Request> Computation::make_request(const Deadline& deadline) {
  if (outcome_.is_fallback || compilation().is_on_cpu_alone()) NNVK_TRY(execution_->bindings_.check_usable_by_cpu());
  if (has_passed(deadline)) {
    return fail(Code::kMissedDeadlinePersistent, "the time for the computation was over before it could start");
  }
  Request request = execution_->settings_;
  request.inputs = execution_->bindings_.inputs();
  request.outputs = execution_->bindings_.outputs();
  request.deadline = deadline;
  request.may_run_inline = may_compute_here_;
  request.needs_place = place_->is_followed();
  request.may_run_again_on_cpu = mode_ != Mode::kFenced;
  request.sync = sync_;
  copy_inputs_read_by_host(request);
  return request;
}

void Computation::copy_inputs_read_by_host(Request& request) {
  const std::vector<bool>& is_read = compilation().inputs_read_by_host();
  if (std::ranges::find(is_read, true) == is_read.end()) return;
  inputs_.assign(request.inputs.begin(), request.inputs.end());
  copied_inputs_.clear();
  for (size_t i = 0; i < inputs_.size(); ++i) {
    Binding& input = inputs_[i];
    if (!is_read[i] || input.data == nullptr) continue;
    copied_inputs_.emplace_back(input.data, input.data + input.size);
    input.data = copied_inputs_.back().data();
    input.mapping = nullptr;
  }
  request.inputs = inputs_;
}

Status Computation::submit(const Deadline& deadline) {
  const trace::Section section("[NN_LR_PE]submit");
  PreparedPlan* plan = &compilation().runner();
  if (outcome_.is_fallback) {
    NNVK_ASSIGN(plan, compilation().fallback());
  }
  NNVK_ASSIGN(Request request, make_request(deadline));
  if (!execution_->bindings_.has_pictures()) {
    request.caller_waits = mode_ == Mode::kSynchronous && may_compute_here_ && !outcome_.is_fallback;
    return submit_to(*plan, request, nullptr);
  }
  NNVK_ASSIGN(auto converted, ConvertedInputs::start(compilation(), execution_->bindings_, outcome_.is_fallback, request));
  request.inputs = converted->bindings();
  copy_inputs_read_by_host(request);
  submit_after(std::move(converted), *plan, request);
  return {};
}

namespace {

void log_start(const Compilation& compilation, bool is_fallback, const char* how) {
  if (!log_enabled(Detail::kExecution)) return;
  log_line(Detail::kExecution, "ExecutionBuilder", std::string(how) + " on " + compilation.device_names(is_fallback));
}

}  // namespace

// Submits the request to a plan. `converted` owns the request's inputs and is kept until the submission has settled; null: the
// client owns them.
Status Computation::submit_to(PreparedPlan& plan, const Request& request, Converted converted) {
  log_start(compilation(), outcome_.is_fallback, "computation starts");
  const bool on_device = takes_all_device_memory(plan, request);
  NNVK_ASSIGN(const Submission submission,
              on_device ? plan.submit(request)
                        : submit_through_host(plan, request, compilation().output_infos(), compilation().runtime().launches(),
                                              compilation().priority()));
  AwaitUnlessHandedOn end(submission.done);
  if (on_device && mode_ == Mode::kFenced) place_->set(submission.place);
  submission.done.on_settled([self = shared_from_this(), submission, converted = std::move(converted)](const Status&) mutable {
    self->take_in(submission, std::exchange(converted, nullptr));
  });
  end.release();
  return {};
}

void Computation::take_in(const Submission& submission, Converted converted) noexcept {
  if (converted != nullptr) outcome_.conversion = converted->times();
  converted.reset();  // the client may write the picture again as soon as it hears of the end
  const Status done = submission.done.result();
  on_device_done(done && submission.report != nullptr ? submission.report->result : done, submission.report);
}

// Submits the request behind `request.behind`: the places of the pending `dependencies` and of the conversions in `converted`
// (null: none). Returns false if the device cannot do that or fails; the caller then launches the request later, which may
// succeed or fall back.
bool Computation::submit_behind(PreparedPlan& plan, const Request& request, std::span<const Fence> dependencies,
                                Converted converted) {
  if (!takes_all_device_memory(plan, request)) return false;
  // Made before the submission, because callbacks must not need memory. The host may hear of the end of a dependency later than
  // of the end of this computation, so the code below waits for all.
  const Fence ran = Fence::pending();
  const auto began = std::chrono::steady_clock::now();
  const Fence before = when_all_settled(dependencies);
  const Fence conversions = converted != nullptr ? converted->ready() : Fence::already_signalled();
  std::optional<Submission> submission;
  const Status submitted = catch_out_of_memory([&]() -> Status {
    NNVK_ASSIGN(submission, plan.submit_behind(request));
    return {};
  });
  if (!submitted || !submission) return false;
  AwaitUnlessHandedOn end(submission->done);
  log_start(compilation(), outcome_.is_fallback, "computation is queued");
  if (mode_ == Mode::kFenced) place_->set(submission->place);
  if (!dependencies.empty()) {
    before.on_settled(
        [self = shared_from_this(), began](const Status&) { self->outcome_.waited_nanoseconds = nanoseconds_since(began); });
  }
  submission->done.on_settled([ran](const Status&) { ran.signal(); });
  const Fence all[] = {ran, before, conversions};
  when_all_settled(all).on_settled([self = shared_from_this(), submission = *submission, before, conversions,
                                    converted = std::move(converted)](const Status& all_ended) mutable {
    if (all_ended) return self->take_in(submission, std::exchange(converted, nullptr));
    converted.reset();
    if (const Status failed = before.result(); !failed) return self->finish(fail(failed.error().of_dependency()));
    self->on_device_done(conversions.result(), nullptr);
  });
  end.release();
  return true;
}

Status Computation::launch_after(std::vector<Dependency> dependencies, const Deadline& timeout, uint64_t nanoseconds) {
  Following following{std::move(dependencies), timeout, nanoseconds};
  // Work between semaphores must not be submitted before the dependencies have signalled (nnvk/vulkan_interop.h).
  const auto reason = sync_ != nullptr ? HostReason::kSemaphores : launch_behind(following);
  if (!reason) return {};
  NNVK_TRY(wait_for_dependencies(following, *reason));
  if (*reason != HostReason::kNoQueue) return {};
  // From here on the computation is in progress. Without memory for the shorter way, the host launches it.
  static_cast<void>(catch_out_of_memory([&] { launch_when_queued(std::move(following)); }));
  return {};
}

// Queues the computation behind its dependencies in the device's queue. Returns the reason if that is impossible now; there is no
// effect then.
std::optional<HostReason> Computation::launch_behind(const Following& following) {
  std::vector<std::shared_ptr<const QueuePlace>> places;
  std::vector<Fence> fences;
  for (const Dependency& dependency : following.dependencies) {
    fences.push_back(dependency.fence);
    auto place = dependency.place != nullptr ? dependency.place->get() : nullptr;  // before the state: it goes after the end
    if (dependency.fence.state() == Fence::State::kSignalled) continue;
    if (place == nullptr) return dependency.is_foreign ? HostReason::kForeignFence : HostReason::kNoQueue;
    places.push_back(std::move(place));
  }
  const std::vector<bool>& read = compilation().inputs_read_by_host();  // which a dependency may still write
  if (std::ranges::find(read, true) != read.end()) return HostReason::kNeedsHost;
  Result<Request> request = make_request(following.timeout);
  if (!request || !check_files()) return HostReason::kNeedsHost;
  request->behind = places;
  Converted converted;
  if (execution_->bindings_.has_pictures()) {
    auto started = ConvertedInputs::start(compilation(), execution_->bindings_, false, *request);
    const auto conversions = started ? (*started)->places() : std::nullopt;
    if (!conversions) return HostReason::kPicture;
    converted = *std::move(started);
    places.insert(places.end(), conversions->begin(), conversions->end());
    request->behind = places;
    request->inputs = converted->bindings();
  }
  request->duration = std::chrono::nanoseconds(std::min<uint64_t>(following.nanoseconds, INT64_MAX));
  if (!submit_behind(compilation().runner(), *request, fences, converted)) return HostReason::kNeedsHost;
  ++compilation().shared().queued_behind;
  return std::nullopt;
}

// Queues the computation behind dependencies that will be in the device's queue, on the thread that submits the last of them. So
// a chain behind one foreign fence is submitted at once when that fence signals.
void Computation::launch_when_queued(Following following) {
  std::vector<Fence> queued;
  for (const Dependency& dependency : following.dependencies) {
    if (dependency.fence.state() == Fence::State::kSignalled) continue;
    if (dependency.place == nullptr) return;
    queued.push_back(dependency.place->queued());
  }
  when_all(queued).on_settled([self = shared_from_this(), following = std::move(following),
                               waiting = compilation().shared().waiting.hold()](const Status& is_queued) {
    if (!is_queued || !self->claim_launch()) return;
    bool is_ours = true;
    const Status launched = catch_out_of_memory([&]() -> Status {
      const auto reason = self->launch_behind(following);
      if (!reason) return {};
      is_ours = self->is_launched_ = false;
      return self->wait_for_dependencies(following, *reason);
    });
    if (!launched && (is_ours || self->claim_launch())) self->finish(launched);
  });
}

// Runs the model after its pictures' conversions: queued behind them if the device keeps the order, else after they have settled.
void Computation::submit_after(Converted converted, PreparedPlan& plan, const Request& request) {
  const Fence ready = converted->ready();
  if (const auto places = converted->places(); places && !places->empty()) {
    Request behind = request;
    behind.behind = *places;
    behind.may_run_inline = false;
    if (submit_behind(plan, behind, {}, converted)) return;
  }
  auto start = [self = shared_from_this(), &plan, request, ready, converted = std::move(converted)]() mutable -> Status {
    auto pictures = std::exchange(converted, nullptr);  // releases them even if the model does not run
    NNVK_TRY(ready.result());
    return self->submit_to(plan, request, std::move(pictures));
  };
  auto failed = [self = shared_from_this(), waiting = compilation().shared().waiting.hold()](const Error& error) {
    self->on_device_done(fail(error), nullptr);
  };
  compilation().runtime().launches().after(ready, {compilation().priority(), std::move(start), std::move(failed)});
}

bool Computation::should_fall_back(const Error& error, bool loop_timed_out) const {
  // A loop that ran out of time would run out of time again (docs/nnapi/devices.md#fallback-at-execution).
  return !outcome_.is_fallback && error.code != Code::kOutputInsufficientSize && !loop_timed_out &&
         compilation().may_fall_back() && !compilation().is_on_fallback_alone();
}

Status Computation::fall_back(const Error& error) {
  log_repeated(LogLevel::kWarning, "ExecutionBuilder", error.text() + "; falling back to the CPU",
               ++compilation().shared().fell_back);
  outcome_.is_fallback = true;
  NNVK_TRY(check_files());
  return submit(std::nullopt);
}

// Ends the computation or starts its fallback. Devices' threads call this. A fallback must prepare a plan, so a launch thread
// does that.
void Computation::on_device_done(const Status& result, const std::shared_ptr<const ExecutionReport>& report) noexcept {
  // The result of a launched fenced computation is final, as clients have its fence
  // (docs/nnapi/execution.md#fenced-computations).
  const bool loop_timed_out = report != nullptr && report->loop_timed_out;
  if (result || mode_ == Mode::kFenced || !should_fall_back(result.error(), loop_timed_out)) return finish(result, report);
  const Status posted = catch_out_of_memory([&]() -> Status {
    may_compute_here_ = true;
    const auto self = shared_from_this();
    const auto start = [self, error = result.error()] { return self->fall_back(error); };
    const auto failed = [self, waiting = compilation().shared().waiting.hold()](const Error& error) {
      self->finish(fail(error));
    };
    compilation().runtime().launches().prepare({compilation().priority(), start, failed})();
    return {};
  });
  if (!posted) finish(posted);
}

void Computation::finish(Status result, std::shared_ptr<const ExecutionReport> report) noexcept {
  if (is_finished_.exchange(true)) return;
  if (sync_ != nullptr) sync_->abandon();  // does nothing if a submission has it
  outcome_.result = result;
  outcome_.report = std::move(report);
  const LaunchQueue::Post task = execution_->complete(mode_, std::move(outcome_));
  done_.settle(std::move(result));
  place_->set(nullptr);
  if (task) task();
}

// Launches the computation when all dependencies have signalled, unless it was launched before that.
Status Computation::wait_for_dependencies(const Following& following, HostReason reason) {
  const Deadline& timeout = following.timeout;
  std::vector<Fence> fences;
  for (const Dependency& dependency : following.dependencies) fences.push_back(dependency.fence);
  const Fence decided = Fence::pending();  // settled by the dependencies or by the timeout, whichever is first
  std::shared_ptr<void> timer;
  if (timeout) {
    // Makes the error now, because callbacks must not allocate memory.
    const Error late(Code::kMissedDeadlinePersistent,
                     "the time for the computation was over before its dependencies had signalled");
    NNVK_ASSIGN(timer, compilation().runtime().reactor().call_at(*timeout, [decided, late] { decided.fail(late); }));
  }
  const Fence ready = when_all(fences);
  const auto self = shared_from_this();
  const auto start = [self, timeout, nanoseconds = following.nanoseconds, reason,
                      began = std::chrono::steady_clock::now()]() -> Status {
    if (!self->claim_launch()) return {};
    self->compilation().shared().through_host.add(reason);
    self->outcome_.waited_nanoseconds = nanoseconds_since(began);
    return self->launch(earlier(timeout, deadline_after(nanoseconds)));
  };
  const auto failed = [self, waiting = compilation().shared().waiting.hold()](const Error& error) { self->finish(fail(error)); };
  auto launch = compilation().runtime().launches().prepare({compilation().priority(), start, failed});
  const auto ended = [self, failed](const Error& error) {
    if (self->claim_launch()) failed(error);  // else the device has the computation and reports its end
  };
  // The callback holds the fences, because the reactor watches a foreign descriptor only as long as its fence is held.
  decided.on_settled([launch = std::move(launch), ended, timer, held = std::move(fences)](const Status& result) {
    result ? launch() : ended(result.error());
  });
  // From here on the computation is in progress, and only `decided` ends it.
  const Status watched = catch_out_of_memory([&]() -> Status {
    ready.on_settled([decided](const Status& result) {
      if (result) return decided.signal();
      decided.fail(result.error().of_dependency());
    });
    return {};
  });
  if (!watched) decided.settle(watched);
  return {};
}

}  // namespace nnvk
