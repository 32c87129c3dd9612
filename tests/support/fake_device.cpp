// The asynchronous part of the fake device; the tests provide the computation.
#include "tests/support/fake_device.h"

#include <unistd.h>

#include <algorithm>
#include <cstring>

#include "core/base/deadline.h"
#include "core/plan/segments.h"
#include "core/runtime/sync_file.h"

namespace nnvk::test {
namespace {

using Clock = std::chrono::steady_clock;

}  // namespace

MakeComputation computing_on(std::shared_ptr<Device> device) {
  return [device](std::shared_ptr<const Plan> plan, const PrepareOptions& options) -> Result<Computation> {
    NNVK_ASSIGN(auto prepared, device->prepare(std::move(plan), options));
    return [device, prepared = std::shared_ptr<PreparedPlan>(std::move(prepared))](Request request) {
      request.may_run_inline = true;
      const auto submission = prepared->submit(request);
      if (submission) {
        (void)submission->done.wait();
        return *submission->report;
      }
      ExecutionReport refused;
      refused.result = fail(submission.error());
      return refused;
    };
  };
}

MakeComputation adding_one() {
  return [](const auto&, const auto&) -> Result<Computation> {
    return [](const Request& request) {
      const Binding& input = request.inputs[0];
      const Binding& output = request.outputs[0];
      for (size_t i = 0; i + sizeof(float) <= std::min(input.size, output.size); i += sizeof(float)) {
        float value = 0;
        std::memcpy(&value, input.data + i, sizeof value);
        value += 1.0F;
        std::memcpy(output.data + i, &value, sizeof value);
      }
      ExecutionReport report;
      report.outputs = {{output.shape, true}};
      report.hardware_nanoseconds = 1000;
      report.driver_nanoseconds = 2000;
      return report;
    };
  };
}

Result<Fence> FakeMemory::read_from(uint64_t offset, std::span<std::byte> host) const {
  if (offset > bytes.size() || host.size() > bytes.size() - offset) return fail(Code::kBadData, "more is read than there is");
  const Fence done = Fence::pending();
  arrives.on_settled([this, offset, host, done](const Status&) {
    std::copy_n(bytes.data() + offset, host.size(), host.begin());
    done.signal();
  });
  return done;
}

Result<Fence> FakeMemory::write_to(uint64_t offset, std::span<const std::byte> host) {
  NNVK_TRY(write_result);
  if (grows_) bytes.resize(host.size());
  if (offset > bytes.size() || host.size() > bytes.size() - offset)
    return fail(Code::kBadData, "more is written than there is room for");
  std::copy(host.begin(), host.end(), bytes.data() + offset);
  return Fence::already_signalled();
}

namespace {

struct FakePlace final : QueuePlace {
  FakePlace(const FakeDevice* of, Fence settles) : id(of->queue), done(std::move(settles)), file(of->behaviour.sync_file) {}
  QueueId queue() const override { return id; }
  std::optional<int> export_sync_file() const override { return file && *file >= 0 ? ::dup(*file) : file; }
  const QueueId id;
  Fence done;
  std::optional<int> file;
};

}  // namespace

// One execution from submit() to its fence.
struct FakePlan::Run {
  Run(const Request& from, int number_of_this, const FakeDevice* device)
      : inputs(from.inputs.begin(), from.inputs.end()),
        outputs(from.outputs.begin(), from.outputs.end()),
        request(from),
        number(number_of_this),
        place(std::make_shared<FakePlace>(device, done)) {
    request.inputs = inputs;
    request.outputs = outputs;
  }
  Run(const Run&) = delete;

  std::vector<Binding> inputs;
  std::vector<Binding> outputs;
  Request request;
  const int number;
  Clock::time_point submitted = Clock::now();  // or the time when the last dependency settled
  const Fence done = Fence::pending();
  const std::shared_ptr<ExecutionReport> report = std::make_shared<ExecutionReport>();
  const std::shared_ptr<const QueuePlace> place;
};

FakePlan::FakePlan(FakeDevice& device, Computation compute, int32_t priority)
    : device_(device), compute_(std::move(compute)), priority_(priority), pool_(device.pool_) {}

FakePlan::~FakePlan() {
  release();
  std::unique_lock lock(mutex_);
  idle_.wait(lock, [this] { return running_ == 0; });
}

Status FakePlan::to_host(Binding& binding, bool is_output) const {
  if (binding.device_memory == nullptr) return {};
  auto* const memory = dynamic_cast<FakeMemory*>(std::exchange(binding.device_memory, nullptr));
  if (memory == nullptr || memory->owner() != &device_) return fail(Code::kBadData, "memory of another device");
  if (is_output && memory->grows()) {
    binding.growable = &memory->bytes;
    return {};
  }
  binding.data = memory->bytes.data() + std::min(binding.device_offset, memory->bytes.size());
  binding.size = memory->bytes.size() - std::min(binding.device_offset, memory->bytes.size());
  return {};
}

Result<std::shared_ptr<FakePlan::Run>> FakePlan::accept(const Request& request) {
  const int number = device_.submissions++;
  ++submissions;
  auto run = std::make_shared<Run>(request, number, &device_);
  {
    const std::lock_guard lock(mutex_);
    last_deadline = request.deadline;
    last_loop_timeout = request.loop_timeout;
    last_attributes = request.attributes;
  }
  NNVK_TRY(device_.behaviour.submit_result(number));
  for (Binding& binding : run->inputs) {
    if (binding.device_memory != nullptr) ++device_.inputs_in_device_memory;
    NNVK_TRY(to_host(binding, false));
  }
  for (Binding& binding : run->outputs) NNVK_TRY(to_host(binding, true));
  run->request.behind = {};
  const std::lock_guard lock(mutex_);
  ++running_;
  return run;
}

// `before`: the result of the execution that it follows.
void FakePlan::start(const std::shared_ptr<Run>& run, const Status& before) {
  {
    const std::lock_guard lock(mutex_);
    if (device_.behaviour.hold) {
      held_.push_back(run);
      return;
    }
  }
  const Status verdict = before ? device_.behaviour.execution_result(run->number) : before;
  const bool on_a_thread =
      !device_.behaviour.at_once && pool_->enqueue(priority_, [this, run, verdict] { finish(*run, verdict); });
  if (!on_a_thread) finish(*run, verdict);
}

Result<Submission> FakePlan::submit(const Request& request) {
  NNVK_ASSIGN(const auto run, accept(request));
  const Submission submission{run->done, run->report, run->place};
  start(run, {});
  return submission;
}

Result<std::optional<Submission>> FakePlan::submit_behind(const Request& request) {
  if (!device_.behaviour.queues) return std::optional<Submission>();
  std::vector<Fence> fences;
  for (const auto& place : request.behind) {
    if (place->queue() != device_.queue) return std::optional<Submission>();
    fences.push_back(static_cast<const FakePlace&>(*place).done);
  }
  NNVK_ASSIGN(const auto run, accept(request));
  const Submission submission{run->done, run->report, run->place};
  ++queued_behind;
  when_all_settled(fences).on_settled([this, run, duration = request.duration](const Status& before) {
    run->submitted = Clock::now();
    run->request.deadline = earlier(run->request.deadline, deadline_after(static_cast<uint64_t>(duration.count())));
    start(run, before);
  });
  return std::optional(submission);
}

void FakePlan::finish(Run& run, const Status& verdict) {
  ExecutionReport& report = *run.report;
  const Clock::time_point begun = Clock::now();
  if (verdict) report = compute_(run.request);
  const Shape& reported = device_.behaviour.reported_output;
  if (!verdict) report.result = verdict;
  if (!reported.dims.empty()) report.outputs = {{reported, report.result.has_value()}};
  if (run.request.measure_timing && report.result) {
    if (report.hardware_nanoseconds == kNoDuration) report.hardware_nanoseconds = nanoseconds_since(begun);
    if (report.driver_nanoseconds == kNoDuration) report.driver_nanoseconds = nanoseconds_since(run.submitted);
  }
  if (report.result) ++executions_;
  const Fence done = run.done;
  const Status result = report.result;
  {
    // Notifies under the lock: after its release the plan may be destroyed.
    const std::lock_guard lock(mutex_);
    --running_;
    idle_.notify_all();
  }
  done.settle(result);
}

bool FakePlan::takes_device_memory(const DeviceMemory& memory, bool /*is_input*/, size_t /*index*/) const {
  const auto* const own = dynamic_cast<const FakeMemory*>(&memory);
  return device_.behaviour.binds_memory && own != nullptr && own->owner() == &device_;
}

void FakePlan::release() {
  std::vector<std::shared_ptr<Run>> held;
  {
    const std::lock_guard lock(mutex_);
    held.swap(held_);
  }
  for (const auto& run : held) finish(*run, device_.behaviour.execution_result(run->number));
}

FakeDevice::FakeDevice(std::string name, DeviceType type, MakeComputation make_computation)
    : make_computation_(std::move(make_computation)) {
  info_.name = std::move(name);
  info_.version = "1";
  info_.type = type;
  info_.feature_level = 1000008;
}

std::string FakeDevice::objection_to(const Plan& plan, const PlanNode& node) const {
  if (is_control_flow(node.code)) return "control flow is run by the runtime, not by a device";
  if (behaviour.objection) return behaviour.objection(plan, node);
  return behaviour.takes(node) ? "" : "the test says no";
}

std::vector<Placement> FakeDevice::place(const Plan& plan, Groundwork* /*groundwork*/) const {
  std::vector<Placement> placements;
  for (const PlanNode& node : plan.nodes) {
    std::string objection = objection_to(plan, node);
    const bool supported = objection.empty();
    placements.push_back({supported, std::move(objection), supported ? behaviour.predicted_seconds : 0});
    if (behaviour.cannot_be_asked.empty()) continue;
    placements.back() = {false, behaviour.cannot_be_asked, 0};
    placements.back().is_unanswered = true;
  }
  return placements;
}

Result<std::unique_ptr<PreparedPlan>> FakeDevice::prepare(std::shared_ptr<const Plan> plan, const PrepareOptions& options) {
  for (const PlanNode& node : plan->nodes) {
    const std::string objection = node.is_view ? "" : objection_to(*plan, node);
    if (!objection.empty()) {
      return fail(Code::kOpFailed, info_.name + " was given " + plan->describe(node) + ": " + objection);
    }
  }
  last_options = options;
  found.clear();
  if (options.cache != nullptr) {
    const auto kept = options.cache->find(*plan);
    found.assign(kept.begin(), kept.end());
    if (found.empty()) options.cache->keep(*plan, behaviour.keeps);
  }
  NNVK_TRY(behaviour.prepare_result(prepared++));
  NNVK_ASSIGN(Computation compute, make_computation_(std::move(plan), options));
  auto ready = std::make_unique<FakePlan>(*this, std::move(compute), options.priority);
  last_plan = ready.get();
  return std::unique_ptr<PreparedPlan>(std::move(ready));
}

Result<std::unique_ptr<DeviceMemory>> FakeDevice::allocate(const MemoryRequest& request) {
  if (!behaviour.has_memory) return fail(Code::kOpFailed, info_.name + " has no memory of its own");
  NNVK_TRY(behaviour.allocation_result);
  if (request.size > uint64_t{1} << 30) return fail(Code::kResourceExhaustedPersistent, info_.name + " has no such memory");
  ++allocations;
  auto memory = std::make_unique<FakeMemory>(request, this);
  last_memory = memory.get();
  return std::unique_ptr<DeviceMemory>(std::move(memory));
}

}  // namespace nnvk::test
