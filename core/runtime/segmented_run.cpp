// The host reads conditions and exchanges loop values between submissions; the prepared plans do everything else.
#include "core/runtime/segmented_run.h"

#include <algorithm>
#include <utility>
#include <vector>

#include "core/base/deadline.h"
#include "core/base/log.h"
#include "core/operations/rules/data_dependent_shape.h"
#include "core/runtime/output_delivery.h"

namespace nnvk {
namespace {

using Clock = std::chrono::steady_clock;

bool is_empty(const Value& value) {
  const auto& dims = value.binding.shape.dims;
  return !value.binding.omitted && std::find(dims.begin(), dims.end(), 0U) != dims.end();
}

// The most preparation time that is not counted towards a loop's timeout. A loop whose state grows prepares new sizes in every
// round, and must end as well.
constexpr std::chrono::seconds kMostPreparationOfLoop{60};

Result<bool> condition_of(const Value& value) {
  if (value.binding.omitted || value.binding.size < 1) return fail(Code::kOpFailed, "the condition has no value");
  return value.binding.data[0] != std::byte{0};
}

// Reads from a device into memory of this run. Unless all() was called, the destructor waits for them, so that the memory
// outlives them.
class Reads {
 public:
  explicit Reads(size_t most) { fences_.reserve(most); }
  ~Reads() {
    if (is_handed_on_) return;
    for (const Fence& read : fences_) static_cast<void>(read.wait());  // an error, or no memory
  }
  Reads(const Reads&) = delete;
  Reads& operator=(const Reads&) = delete;
  void add(const Fence& read) { fences_.push_back(read); }
  bool empty() const { return fences_.empty(); }
  // Settles when all reads have. From now on the caller must keep the memory until then.
  Fence all() {
    Fence all = when_all_settled(fences_);
    is_handed_on_ = true;
    return all;
  }

 private:
  std::vector<Fence> fences_;
  bool is_handed_on_ = false;
};

// Identifies the buffer of a loop's value that has no tensor in the plan: output number `output` of the body, or, if `output` is
// the number of the body's outputs, the output of the condition.
uint64_t loop_key(const Segment& segment, size_t output) { return (uint64_t{segment.node} + 1) << 32 | output; }

}  // namespace

Result<PreparedPlan*> SegmentedState::rescue_plan(PreparedModel& model) {
  const std::lock_guard lock(rescue_mutex);
  if (model.rescue == nullptr) {
    NNVK_ASSIGN(model.rescue, rescue->prepare(model.straight, PrepareOptions{}));
  }
  return model.rescue.get();
}

// Continues until a submission is in progress or everything is done. It is a loop because devices may finish inside submit():
// nested calls would need a stack per iteration. The rest is launched after the pending submission.
Status SegmentedRun::advance(bool may_run_inline) {
  while (true) {
    NNVK_ASSIGN(const bool more, next(may_run_inline));
    if (!more) break;
    if (pending_.done.state() != Fence::State::kPending) continue;
    if (client_.request.caller_waits) {  // no other thread need be woken for each step
      static_cast<void>(pending_.done.wait());
      continue;
    }
    const auto self = shared_from_this();
    auto go_on = state_.launches.prepare(
        {state_.priority, [self] { return self->advance(true); }, [self](const Error& error) { self->finish(fail(error)); }});
    pending_.done.on_settled([go_on = std::move(go_on)](const Status&) { go_on(); });
    return {};
  }
  NNVK_TRY(deliver());
  finish({});
  return {};
}

void SegmentedRun::start() {
  Status started = catch_out_of_memory([this] { return advance(client_.request.may_run_inline); });
  if (!started) finish(std::move(started));
}

void SegmentedRun::finish(Status result) {
  if (is_pending_) static_cast<void>(pending_.done.wait());  // memory ran out while the device uses memory of this run
  // If a part misses the deadline after another one has run, the execution had already begun: NNAPI's code is then the transient
  // one.
  if (!result && has_begun_ && result.error().code == Code::kMissedDeadlinePersistent) {
    result.error().code = Code::kMissedDeadlineTransient;
  }
  report_->preparation_nanoseconds = static_cast<uint64_t>(preparation_.count());
  report_->result = std::move(result);
  if (!report_->result && report_->result.error().code != Code::kOutputInsufficientSize) report_->outputs.clear();
  if (client_.request.measure_timing && is_timed_) {
    report_->driver_nanoseconds = static_cast<uint64_t>(std::chrono::nanoseconds(Clock::now() - started_).count());
  } else {
    report_->hardware_nanoseconds = kNoDuration;
  }
  if (report_->result) ++state_.executions;
  values_.clear();
  loop_values_.clear();
  targets_.clear();
  attempt_ = {};
  client_.clear();
  pending_.report = nullptr;
  pending_.place = nullptr;
  state_.running.leave();  // from now on the plan may be destroyed. The fence comes last: its callbacks may do so
  done_.settle(report_->result);
}

// Takes the results of the last submission and starts the next one; false when nothing is left to run.
Result<bool> SegmentedRun::next(bool may_run_inline) {
  if (std::exchange(is_pending_, false)) {
    NNVK_TRY(settle_pending(may_run_inline));
    if (is_pending_) return true;
  } else {
    NNVK_TRY(bind_inputs());
  }
  while (step_ < state_.segments.size()) {
    if (has_passed(client_.request.deadline)) {
      return fail(Code::kMissedDeadlinePersistent, "the deadline passed before a part of the model");
    }
    PreparedSegment& prepared = state_.segments[step_];
    const Segment& segment = prepared.segment;
    if (segment.kind == Segment::Kind::kWhile) {
      NNVK_ASSIGN(const bool submitted, enter_loop_phase(prepared, may_run_inline));
      if (submitted) return true;
      continue;
    }
    PreparedModel* model = &prepared.first;
    if (segment.kind == Segment::Kind::kIf) {
      const auto holds = condition_of(values_[segment.condition]);
      if (!holds) return fail(holds.error().at(state_.plan->place_of(state_.plan->nodes[segment.node])));
      if (!*holds) model = &prepared.second;
    }
    targets_.clear();
    for (size_t i = 0; i < segment.outputs.size(); ++i) targets_.push_back(target_for(prepared, i));
    NNVK_TRY(submit(*model, prepared, values_of(segment.inputs), may_run_inline));
    ++step_;
    return true;
  }
  return read_back();
}

// Condition, body, condition, ...; false when the loop has ended and step_ has moved on.
Result<bool> SegmentedRun::enter_loop_phase(PreparedSegment& prepared, bool may_run_inline) {
  const Segment& segment = prepared.segment;
  const Plan& body = *segment.second;
  if (phase_ == LoopPhase::kBody) {
    for (size_t i = 0; i < targets_.size(); ++i) loop_values_[i] = std::move(targets_[i].value);
  }
  if (phase_ != LoopPhase::kCondition) {
    if (phase_ == LoopPhase::kEnter) {
      loop_values_ = values_of(segment.inputs);
      loop_started_ = Clock::now();
      preparation_before_loop_ = preparation_;
    }
    phase_ = LoopPhase::kCondition;
    targets_.clear();
    const OperandInfo& condition = segment.first->tensors[segment.first->outputs[kFirstOutput]].info;
    targets_.push_back(room_for(condition, loop_key(segment, body.outputs.size()), prepared.device, false));
    NNVK_TRY(submit(prepared.first, prepared, loop_values_, may_run_inline));
    return true;
  }
  NNVK_ASSIGN(const bool goes_on, condition_of(targets_[0].value));
  NNVK_TRY(check_loop_time(prepared, goes_on));
  if (goes_on) {
    phase_ = LoopPhase::kBody;
    targets_.clear();
    for (size_t i = 0; i < body.outputs.size(); ++i) {
      const OperandInfo& value = body.tensors[body.outputs[i]].info;
      targets_.push_back(room_for(value, loop_key(segment, i), prepared.device, prepared.may_stay_on_device[i]));
    }
    NNVK_TRY(submit(prepared.second, prepared, loop_values_, may_run_inline));
    return true;
  }
  for (size_t i = 0; i < segment.outputs.size(); ++i) values_[segment.outputs[i]] = loop_values_[i];
  loop_values_.clear();
  phase_ = LoopPhase::kEnter;
  ++step_;
  return false;
}

// See docs/nnapi/control_flow.md#loop-timeout. Loops with known sizes check their time after every evaluation of the condition.
// Others check it only when they continue; so do loops of a model that runs on the CPU because it could not run elsewhere.
Status SegmentedRun::check_loop_time(const PreparedSegment& prepared, bool goes_on) {
  if (!goes_on && !prepared.times_every_condition) return {};
  // Compilation time does not count towards the loop timeout: a slow driver must not end a loop.
  const auto preparing = std::min<std::chrono::nanoseconds>(preparation_ - preparation_before_loop_, kMostPreparationOfLoop);
  if (Clock::now() - loop_started_ - preparing <= client_.request.loop_timeout) return {};
  report_->loop_timed_out = true;
  return fail(Code::kMissedDeadlineTransient, state_.plan->describe(state_.plan->nodes[prepared.segment.node]) +
                                                  ": the loop ran longer than its timeout of " +
                                                  std::to_string(client_.request.loop_timeout.count() / 1000000) +
                                                  " ms; raise it with ANeuralNetworksExecution_setLoopTimeout");
}

Status SegmentedRun::bind_inputs() {
  const Plan& plan = *state_.plan;
  if (client_.inputs.size() != plan.inputs.size() || client_.outputs.size() != plan.outputs.size()) {
    return fail(Code::kBadData, std::to_string(client_.inputs.size()) + " inputs and " + std::to_string(client_.outputs.size()) +
                                    " outputs are bound, the plan has " + std::to_string(plan.inputs.size()) + " and " +
                                    std::to_string(plan.outputs.size()));
  }
  values_.resize(plan.tensors.size());
  for (size_t t = 0; t < plan.tensors.size(); ++t) {
    const PlanTensor& tensor = plan.tensors[t];
    Binding& binding = values_[t].binding;
    binding.omitted = tensor.role == TensorRole::kOmitted;
    if (tensor.role != TensorRole::kConstant) continue;
    binding.shape = tensor.info.shape;
    binding.data = const_cast<std::byte*>(tensor.value.data());  // devices only read inputs
    binding.size = tensor.value.size();
  }
  for (size_t i = 0; i < client_.inputs.size(); ++i) {
    const Binding& binding = client_.inputs[i];
    const auto shape = merge_shapes(plan.tensors[plan.inputs[i]].info.shape, binding.shape);
    if (!shape && !binding.omitted) {
      return fail(Code::kBadData, "input " + std::to_string(i) + " has shape " + binding.shape.to_string() +
                                      " but is declared as " + plan.tensors[plan.inputs[i]].info.shape.to_string());
    }
    values_[plan.inputs[i]].binding = binding;
    values_[plan.inputs[i]].binding.shape = shape.value_or(Shape{});
  }
  // The report begins with the declared shapes: a failed run reports those for outputs that it has not computed.
  for (size_t i = 0; i < client_.outputs.size(); ++i) {
    const Shape& declared = plan.tensors[plan.outputs[i]].info.shape;
    const auto shape = client_.outputs[i].omitted ? declared : merge_shapes(declared, client_.outputs[i].shape);
    if (!shape) {
      return fail(Code::kBadData, "output " + std::to_string(i) + " is given as " + client_.outputs[i].shape.to_string() +
                                      " but declared as " + declared.to_string());
    }
    report_->outputs.push_back({*shape, true});
  }
  return {};
}

std::vector<Value> SegmentedRun::values_of(const std::vector<TensorId>& tensors) const {
  std::vector<Value> values;
  for (const TensorId id : tensors) values.push_back(values_[id]);
  return values;
}

// The client's own memory, if the size is certain and no segment reads the tensor.
SegmentedRun::Target SegmentedRun::target_for(const PreparedSegment& prepared, size_t output) {
  const TensorId tensor = prepared.segment.outputs[output];
  const PlanTensor& declared = state_.plan->tensors[tensor];
  if (declared.role != TensorRole::kOutput) {
    Target target = room_for(declared.info, tensor, prepared.device, prepared.may_stay_on_device[output]);
    target.tensor = tensor;
    return target;
  }
  OperandInfo info = declared.info;
  info.shape = report_->outputs[declared.io_index].shape;
  const Binding& binding = client_.outputs[declared.io_index];
  const auto size = info.byte_size();
  const bool is_clients = !binding.omitted && binding.growable == nullptr && binding.data != nullptr && size &&
                          *size <= binding.size && !state_.read_later[tensor];
  Target target = is_clients ? Target{} : room_for(info, tensor, prepared.device, false);
  if (is_clients) target.client_output = declared.io_index;
  target.tensor = tensor;
  target.value.binding.shape = std::move(info.shape);
  return target;
}

// Device memory if the host need not see the value and its size is certain; else host memory that grows as needed.
SegmentedRun::Target SegmentedRun::room_for(const OperandInfo& info, uint64_t key, Device* device, bool may_stay_on_device) {
  Target target;
  target.key = key;
  target.value.binding.shape = info.shape;
  target.value.written_by = device;
  const auto size = info.byte_size();
  if (may_stay_on_device && size) {
    if (auto memory = state_.device_memory.take(*device, *size)) {
      target.value.on_device = std::move(*memory);
      target.value.binding.device_memory = target.value.on_device.get();
      target.value.binding.size = *size;
      return target;
    }
  }
  if (state_.shares_memory && size.value_or(0) > 0) {
    if (auto memory = state_.shared_memory.take(*size)) {
      target.value.binding.data = (*memory)->bytes().data();
      target.value.binding.size = *size;
      target.value.binding.mapping = *std::move(memory);
      return target;
    }
  }
  target.value.owned = state_.buffers.take(key);
  return target;
}

// Runs `model` on `inputs` into targets_. Inputs and targets stay alive in this object until the fence settles.
Status SegmentedRun::submit(PreparedModel& model, const PreparedSegment& segment, std::vector<Value> inputs,
                            bool may_run_inline) {
  for (const Value& value : inputs) {
    // docs/nnapi/shapes.md#zero-sized-tensors. Inside one device an empty tensor is like any other.
    if (value.written_by == nullptr || segment.device == nullptr || value.written_by == segment.device) continue;
    if (is_empty(value)) return fail(Code::kOpFailed, "an empty tensor cannot go from one device to another");
  }
  attempt_ = {&model, &segment, std::move(inputs), false};
  return send(may_run_inline);
}

const Device* SegmentedRun::running_device() const { return attempt_.on_rescue ? state_.rescue : attempt_.segment->device; }

// Submits attempt_ to its device.
Status SegmentedRun::send(bool may_run_inline) {
  PreparedPlan* plan = attempt_.model->prepared.get();
  if (attempt_.on_rescue) {
    const auto began = Clock::now();
    NNVK_ASSIGN(plan, state_.rescue_plan(*attempt_.model));
    preparation_ += Clock::now() - began;
  }
  std::vector<Binding> input_bindings;
  for (const Value& value : attempt_.inputs) input_bindings.push_back(value.binding);
  std::vector<Binding> output_bindings;
  for (const Target& target : targets_) {
    const bool is_clients = target.client_output != SIZE_MAX;
    Binding& binding = output_bindings.emplace_back(is_clients ? client_.outputs[target.client_output] : target.value.binding);
    binding.shape = target.value.binding.shape;
    binding.growable = target.value.owned.get();
  }
  Request request = client_.request;
  request.inputs = input_bindings;
  request.outputs = output_bindings;
  request.may_run_inline = may_run_inline;
  if (attempt_.on_rescue) request.deadline.reset();  // docs/nnapi/devices.md#fallback-at-execution
  Result<Submission> submission = plan->submit(request);
  if (!submission) {
    if (is_rescuable(submission.error(), false)) return run_on_rescue(submission.error(), may_run_inline);
    return fail(std::move(submission).error());
  }
  pending_ = *std::move(submission);
  is_pending_ = true;
  return {};
}

// Only a plan that one device runs in one submission runs again; a plan in steps has itself run its failed steps again.
// Submissions that a fenced execution has launched do not run again (docs/nnapi/execution.md#fenced-computations).
bool SegmentedRun::is_rescuable(const Error& error, bool was_launched) const {
  return state_.rescue != nullptr && attempt_.model != nullptr && attempt_.model->straight != nullptr &&
         running_device() != state_.rescue && error.code != Code::kOutputInsufficientSize &&
         (!was_launched || client_.request.may_run_again_on_cpu);
}

// Runs the failed step once more, on the fallback's device, with its data in host memory.
Status SegmentedRun::run_on_rescue(const Error& error, bool may_run_inline) {
  log_repeated(
      LogLevel::kWarning, "ExecutionBuilder",
      "a step failed on " + running_device()->info().name + ": " + error.text() + "; running it on " + state_.rescue->info().name,
      ++state_.rescued);
  attempt_.on_rescue = true;
  for (Target& target : targets_) {
    target.value.written_by = target.client_output == SIZE_MAX ? state_.rescue : nullptr;
    if (target.value.on_device == nullptr) continue;
    Binding on_host;
    on_host.shape = target.value.binding.shape;
    target.value = {std::move(on_host), state_.buffers.take(target.key), nullptr, state_.rescue};
  }
  NNVK_ASSIGN(const bool fetching, fetch_inputs());
  return fetching ? Status() : send(may_run_inline);
}

// Starts copying inputs of attempt_ from device memory to the host; false when there are none to copy.
Result<bool> SegmentedRun::fetch_inputs() {
  Reads reads(attempt_.inputs.size());
  for (Value& value : attempt_.inputs) {
    Binding& binding = value.binding;
    if (binding.device_memory == nullptr || binding.omitted) continue;
    value.owned = std::make_shared<std::vector<std::byte>>(binding.size);
    NNVK_ASSIGN(const Fence read, binding.device_memory->read(*value.owned));
    reads.add(read);
    binding.data = value.owned->data();
  }
  if (reads.empty()) return false;
  pending_ = {reads.all(), nullptr};
  is_pending_ = true;
  is_fetching_ = true;
  return true;
}

// Takes the results of the pending submission. Afterwards a failed step may be pending again, on another device.
Status SegmentedRun::settle_pending(bool may_run_inline) {
  if (std::exchange(is_fetching_, false)) {
    NNVK_TRY(pending_.done.result());
    for (Value& value : attempt_.inputs) {
      value.binding.device_memory = nullptr;
      value.on_device.reset();
    }
    return send(may_run_inline);
  }
  Status absorbed = absorb();
  if (absorbed || !is_rescuable(absorbed.error(), true)) return absorbed;
  return run_on_rescue(absorbed.error(), may_run_inline);
}

Status SegmentedRun::absorb() {
  if (pending_.report != nullptr && pending_.report->loop_timed_out) report_->loop_timed_out = true;
  if (pending_.report != nullptr) preparation_ += std::chrono::nanoseconds(pending_.report->preparation_nanoseconds);
  NNVK_TRY(pending_.done.result());
  has_begun_ = true;
  if (pending_.report == nullptr) return {};  // it was a copy to the host, not an execution
  const ExecutionReport& report = *pending_.report;
  NNVK_TRY(report.result);
  if (report.outputs.size() != targets_.size()) return fail(Code::kOpFailed, "a device reported another number of outputs");
  for (size_t i = 0; i < targets_.size(); ++i) NNVK_TRY(absorb_output(targets_[i], report.outputs[i]));
  is_timed_ = is_timed_ || report.driver_nanoseconds != kNoDuration;
  if (report.hardware_nanoseconds != kNoDuration) {
    const bool is_first = report_->hardware_nanoseconds == kNoDuration;
    report_->hardware_nanoseconds = (is_first ? 0 : report_->hardware_nanoseconds) + report.hardware_nanoseconds;
  }
  absorb_profile(report);
  return {};
}

// The profile attributes nodes of referenced models to the control flow operation.
void SegmentedRun::absorb_profile(const ExecutionReport& report) {
  const Segment& segment = attempt_.segment->segment;
  for (NodeProfile node : report.profile) {
    if (node.device.empty() && running_device() != nullptr) node.device = running_device()->info().name;
    if (segment.kind != Segment::Kind::kStraight) node.source_operation = state_.plan->nodes[segment.node].source_operation;
    report_->profile.push_back(std::move(node));
  }
}

Status SegmentedRun::absorb_output(Target& target, const OutputReport& report) {
  Binding& binding = target.value.binding;
  if (!merge_shapes(binding.shape, report.shape) && !settle_data_dependent_shape(binding.shape, report.shape)) {
    return fail(Code::kOpFailed,
                "a result has shape " + report.shape.to_string() + " where " + binding.shape.to_string() + " is declared");
  }
  binding.shape = report.shape;
  if (target.client_output != SIZE_MAX) {
    binding.data = client_.outputs[target.client_output].data;
    binding.size = client_.outputs[target.client_output].size;
  } else if (target.value.owned != nullptr) {
    binding.data = target.value.owned->data();
    binding.size = target.value.owned->size();
  }
  if (target.tensor != kNoTensor) values_[target.tensor] = target.value;
  return {};
}

// Starts copying results that lie only in device memory to the host; false when there are none.
Result<bool> SegmentedRun::read_back() {
  if (std::exchange(is_read_back_, true)) return false;
  Reads reads(client_.outputs.size());
  for (size_t i = 0; i < client_.outputs.size(); ++i) {
    Value& value = values_[state_.plan->outputs[i]];
    Binding& binding = value.binding;
    if (binding.device_memory == nullptr || client_.outputs[i].omitted) continue;
    OperandInfo info = state_.plan->tensors[state_.plan->outputs[i]].info;
    info.shape = binding.shape;
    value.owned = state_.buffers.take(state_.plan->outputs[i]);
    value.owned->resize(info.byte_size().value_or(0));
    NNVK_ASSIGN(const Fence read, binding.device_memory->read(*value.owned));
    reads.add(read);
    binding.data = value.owned->data();
    binding.size = value.owned->size();
  }
  if (reads.empty()) return false;
  targets_.clear();
  attempt_ = {};
  pending_ = {reads.all(), nullptr};
  is_pending_ = true;
  return true;
}

// Copies results that are not in the client's memory yet, and reports all shapes.
Status SegmentedRun::deliver() {
  const Plan& plan = *state_.plan;
  Status result;
  for (size_t i = 0; i < client_.outputs.size(); ++i) {
    const Binding& value = values_[plan.outputs[i]].binding;
    OutputReport& report = report_->outputs[i];
    OperandInfo agreed = plan.tensors[plan.outputs[i]].info;
    agreed.shape = report.shape;
    NNVK_ASSIGN(const SettledOutput output, settle_output(i, agreed, value.shape));
    report.shape = output.shape;
    if (client_.outputs[i].omitted) continue;
    if (value.omitted || (!output.is_zeros && output.size > value.size)) {
      return fail(Code::kOpFailed, "output " + std::to_string(i) + " has no value");
    }
    Status room = check_room(i, client_.outputs[i], output);
    report.sufficient = room.has_value();
    if (room) {
      state_.bytes_copied_out += nnvk::deliver(client_.outputs[i], output, value.data);
    } else if (result) {
      result = std::move(room);
    }
  }
  return result;
}

}  // namespace nnvk
