// Conditions and loop values are read by the host between submissions; everything else is done by the prepared plans.
#include "core/runtime/segmented_run.h"

#include <algorithm>
#include <cstring>
#include <utility>

#include "core/base/deadline.h"
#include "core/base/log.h"
#include "core/operations/rules/data_dependent_shape.h"

namespace nnvk {
namespace {

using Clock = std::chrono::steady_clock;

bool is_empty(const Value& value) {
  const auto& dims = value.shape.dims;
  return !value.omitted && std::find(dims.begin(), dims.end(), 0U) != dims.end();
}

}  // namespace

DeviceMemoryPool* SegmentedState::memory_of(Device& device) {
  auto& pool = device_memory[&device];
  if (pool == nullptr) pool = std::make_unique<DeviceMemoryPool>(device);
  return pool.get();
}

Result<PreparedPlan*> SegmentedState::rescue_plan(PreparedModel& model) {
  const std::lock_guard lock(rescue_mutex);
  if (model.rescue == nullptr) {
    NNVK_ASSIGN(model.rescue, rescue->prepare(model.straight, PrepareOptions{}));
  }
  return model.rescue.get();
}

// Goes on until a submission is under way or everything is done: devices that finish inside submit() do not nest calls, however
// many iterations a loop has. What comes after the submission is a launch of its own.
Status SegmentedRun::advance(bool may_run_inline) {
  while (true) {
    NNVK_ASSIGN(const bool more, next(may_run_inline));
    if (!more) break;
    if (pending_.done.state() != Fence::State::kPending) continue;
    const auto self = shared_from_this();
    auto go_on = state_->launches.prepare(
        {state_->priority, [self] { return self->advance(true); }, [self](const Error& error) { self->finish(fail(error)); }});
    pending_.done.on_settled([go_on = std::move(go_on)](const Status&) { go_on(); });
    return {};
  }
  NNVK_TRY(deliver());
  finish({});
  return {};
}

void SegmentedRun::start() {
  Status started = catch_out_of_memory([this] { return advance(request_.may_run_inline); });
  if (!started) finish(std::move(started));
}

void SegmentedRun::finish(Status result) {
  if (is_pending_) static_cast<void>(pending_.done.wait());  // memory ran out while the device uses ours
  // What is too late for a part to start comes in the middle of the whole.
  if (!result && has_begun_ && result.error().code == Code::kMissedDeadlinePersistent) {
    result.error().code = Code::kMissedDeadlineTransient;
  }
  report_->result = std::move(result);
  if (!report_->result && report_->result.error().code != Code::kOutputInsufficientSize) report_->outputs.clear();
  if (request_.measure_timing && is_timed_) {
    report_->driver_nanoseconds = static_cast<uint64_t>(std::chrono::nanoseconds(Clock::now() - started_).count());
  } else {
    report_->hardware_nanoseconds = kNoDuration;
  }
  if (report_->result) ++state_->executions;
  values_.clear();
  loop_values_.clear();
  targets_.clear();
  attempt_ = {};
  {
    // Notified under the lock: once it is released, the plan may be gone. The fence comes last, its callbacks may free the plan.
    const std::lock_guard lock(state_->mutex);
    --state_->running;
    state_->idle.notify_all();
  }
  const Status& final_result = report_->result;
  final_result ? done_.signal() : done_.fail(final_result.error());
}

// Takes in what the last submission has left and starts the next one; false when there is nothing more to run.
Result<bool> SegmentedRun::next(bool may_run_inline) {
  if (std::exchange(is_pending_, false)) {
    NNVK_TRY(settle_pending(may_run_inline));
    if (is_pending_) return true;
  } else {
    NNVK_TRY(bind_inputs());
  }
  while (step_ < state_->segments.size()) {
    if (has_passed(request_.deadline)) {
      return fail(Code::kMissedDeadlinePersistent, "the deadline passed before a part of the model");
    }
    PreparedSegment& prepared = state_->segments[step_];
    const Segment& segment = prepared.segment;
    if (segment.kind == Segment::Kind::kWhile) {
      NNVK_ASSIGN(const bool submitted, enter_loop_phase(prepared, may_run_inline));
      if (submitted) return true;
      continue;
    }
    PreparedModel* model = &prepared.first;
    if (segment.kind == Segment::Kind::kIf) {
      const auto holds = condition_of(values_[segment.condition]);
      if (!holds) return fail(holds.error().at(state_->plan->place_of(state_->plan->nodes[segment.node])));
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
    }
    phase_ = LoopPhase::kCondition;
    targets_.clear();
    targets_.push_back(loop_target(prepared, segment.first->tensors[segment.first->outputs[0]].info, body.outputs.size(), false));
    NNVK_TRY(submit(prepared.first, prepared, loop_values_, may_run_inline));
    return true;
  }
  NNVK_ASSIGN(const bool goes_on, condition_of(targets_[0].value));
  NNVK_TRY(check_loop_time(prepared, goes_on));
  if (goes_on) {
    phase_ = LoopPhase::kBody;
    targets_.clear();
    for (size_t i = 0; i < body.outputs.size(); ++i) {
      targets_.push_back(loop_target(prepared, body.tensors[body.outputs[i]].info, i, prepared.may_stay_on_device[i]));
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

// docs/nnapi/control_flow.md#loop-timeout: loops whose sizes are all known are looked at after every evaluation of the condition;
// the others, and those of a model that is on the CPU as a whole because it could not be elsewhere, only when they go on.
Status SegmentedRun::check_loop_time(const PreparedSegment& prepared, bool goes_on) {
  if (!goes_on && !prepared.times_every_condition) return {};
  if (Clock::now() - loop_started_ <= request_.loop_timeout) return {};
  report_->loop_timed_out = true;
  return fail(Code::kMissedDeadlineTransient, state_->plan->describe(state_->plan->nodes[prepared.segment.node]) +
                                                  ": the loop ran longer than its timeout of " +
                                                  std::to_string(request_.loop_timeout.count() / 1000000) +
                                                  " ms; raise it with ANeuralNetworksExecution_setLoopTimeout");
}

Result<bool> SegmentedRun::condition_of(const Value& value) const {
  if (value.omitted || value.size < 1) return fail(Code::kOpFailed, "the condition has no value");
  return value.data[0] != std::byte{0};
}

Status SegmentedRun::bind_inputs() {
  const Plan& plan = *state_->plan;
  if (inputs_.size() != plan.inputs.size() || outputs_.size() != plan.outputs.size()) {
    return fail(Code::kBadData, std::to_string(inputs_.size()) + " inputs and " + std::to_string(outputs_.size()) +
                                    " outputs are bound, the plan has " + std::to_string(plan.inputs.size()) + " and " +
                                    std::to_string(plan.outputs.size()));
  }
  values_.resize(plan.tensors.size());
  for (size_t t = 0; t < plan.tensors.size(); ++t) {
    const PlanTensor& tensor = plan.tensors[t];
    values_[t].omitted = tensor.role == TensorRole::kOmitted;
    if (tensor.role != TensorRole::kConstant) continue;
    values_[t].shape = tensor.info.shape;
    values_[t].data = tensor.value.data();
    values_[t].size = tensor.value.size();
  }
  for (size_t i = 0; i < inputs_.size(); ++i) {
    const Binding& binding = inputs_[i];
    const auto shape = merge_shapes(plan.tensors[plan.inputs[i]].info.shape, binding.shape);
    if (!shape && !binding.omitted) {
      return fail(Code::kBadData, "input " + std::to_string(i) + " has shape " + binding.shape.to_string() +
                                      " but is declared as " + plan.tensors[plan.inputs[i]].info.shape.to_string());
    }
    Value& value = values_[plan.inputs[i]];
    value.shape = shape.value_or(Shape{});
    value.data = binding.data;
    value.size = binding.size;
    value.omitted = binding.omitted;
    value.mapping = binding.mapping;
    if (binding.device_memory != nullptr) {  // of the run that handed it in, which keeps it alive
      value.on_device = std::shared_ptr<DeviceMemory>(std::shared_ptr<DeviceMemory>(), binding.device_memory);
      value.device_offset = binding.device_offset;
    }
  }
  // Until they are computed, outputs are what is declared: that is what a failed run reports.
  for (size_t i = 0; i < outputs_.size(); ++i) {
    const Shape& declared = plan.tensors[plan.outputs[i]].info.shape;
    const auto shape = outputs_[i].omitted ? declared : merge_shapes(declared, outputs_[i].shape);
    if (!shape) {
      return fail(Code::kBadData, "output " + std::to_string(i) + " is given as " + outputs_[i].shape.to_string() +
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

// The client's own memory where the size is certain and nobody else reads the tensor.
SegmentedRun::Target SegmentedRun::target_for(const PreparedSegment& prepared, size_t output) {
  const TensorId tensor = prepared.segment.outputs[output];
  const PlanTensor& declared = state_->plan->tensors[tensor];
  Target target;
  target.tensor = tensor;
  target.value.shape = declared.info.shape;
  if (declared.role == TensorRole::kOutput) {
    target.value.shape = report_->outputs[declared.io_index].shape;
    const Binding& binding = outputs_[declared.io_index];
    OperandInfo info = declared.info;
    info.shape = target.value.shape;
    const auto size = info.byte_size();
    if (!binding.omitted && binding.growable == nullptr && binding.data != nullptr && size && *size <= binding.size &&
        !state_->read_later[tensor]) {
      target.client_output = declared.io_index;
      return target;
    }
  }
  const bool may_stay = declared.role != TensorRole::kOutput && prepared.may_stay_on_device[output];
  make_room(target, prepared, declared.info, tensor, may_stay);
  return target;
}

// Output `output` of the body; the condition's comes behind them.
SegmentedRun::Target SegmentedRun::loop_target(const PreparedSegment& prepared, const OperandInfo& info, size_t output,
                                               bool may_stay_on_device) {
  Target target;
  target.value.shape = info.shape;
  make_room(target, prepared, info, loop_key(prepared, output), may_stay_on_device);
  return target;
}

// Values of loops have no tensor in the plan: the buffers that serve them are found by these numbers.
uint64_t SegmentedRun::loop_key(const PreparedSegment& prepared, size_t output) const {
  return (uint64_t{prepared.segment.node} + 1) << 32 | output;
}

// Device memory where the host need not see the value and its size is certain; else host memory that grows as needed.
void SegmentedRun::make_room(Target& target, const PreparedSegment& prepared, const OperandInfo& info, uint64_t key,
                             bool may_stay_on_device) {
  const auto size = info.byte_size();
  target.key = key;
  target.value.written_by = prepared.device;
  if (may_stay_on_device && size) {
    if (auto memory = prepared.memory->take(*size)) {
      target.value.on_device = std::move(*memory);
      target.value.size = *size;
      return;
    }
  }
  target.value.owned = state_->buffers.take(key);
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

const Device* SegmentedRun::running_device() const { return attempt_.on_rescue ? state_->rescue : attempt_.segment->device; }

// Hands attempt_ to its device.
Status SegmentedRun::send(bool may_run_inline) {
  PreparedPlan* plan = attempt_.model->prepared.get();
  if (attempt_.on_rescue) {
    NNVK_ASSIGN(plan, state_->rescue_plan(*attempt_.model));
  }
  std::vector<Binding> input_bindings(attempt_.inputs.size());
  for (size_t i = 0; i < input_bindings.size(); ++i) {
    const Value& value = attempt_.inputs[i];
    Binding& binding = input_bindings[i];
    binding.data = const_cast<std::byte*>(value.data);  // devices only read inputs
    binding.size = value.size;
    binding.shape = value.shape;
    binding.omitted = value.omitted;
    binding.mapping = value.mapping;
    binding.device_memory = value.on_device.get();
    binding.device_offset = value.device_offset;
  }
  std::vector<Binding> output_bindings(targets_.size());
  for (size_t i = 0; i < targets_.size(); ++i) {
    if (targets_[i].client_output != SIZE_MAX) output_bindings[i] = outputs_[targets_[i].client_output];
    output_bindings[i].shape = targets_[i].value.shape;
    output_bindings[i].growable = targets_[i].value.owned.get();
    if (targets_[i].value.on_device != nullptr) output_bindings[i].device_memory = targets_[i].value.on_device.get();
  }
  Request request = request_;
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

// Only what one device does in one go is run again; what is a run in steps has done so itself. What a fenced execution has
// launched is not (docs/nnapi/execution.md#fenced-computations).
bool SegmentedRun::is_rescuable(const Error& error, bool was_launched) const {
  return state_->rescue != nullptr && attempt_.model != nullptr && attempt_.model->straight != nullptr &&
         running_device() != state_->rescue && error.code != Code::kOutputInsufficientSize &&
         (!was_launched || request_.may_run_again_on_cpu);
}

// The failed step once more, on the CPU device, in host memory.
Status SegmentedRun::run_on_rescue(const Error& error, bool may_run_inline) {
  log_line(LogLevel::kWarning, "ExecutionBuilder",
           "a step failed on " + running_device()->info().name + ": " + error.text() + "; running it on " +
               state_->rescue->info().name);
  attempt_.on_rescue = true;
  ++state_->rescued;
  for (Target& target : targets_) {
    target.value.written_by = target.client_output == SIZE_MAX ? state_->rescue : nullptr;
    if (std::exchange(target.value.on_device, nullptr) != nullptr) target.value.owned = state_->buffers.take(target.key);
  }
  NNVK_ASSIGN(const bool fetching, fetch_inputs());
  return fetching ? Status() : send(may_run_inline);
}

// Brings inputs of attempt_ that are on a device to the host; false when there are none.
Result<bool> SegmentedRun::fetch_inputs() {
  std::vector<Fence> reads;
  for (Value& value : attempt_.inputs) {
    if (value.on_device == nullptr || value.omitted) continue;
    value.owned = std::make_shared<std::vector<std::byte>>(value.size);
    NNVK_ASSIGN(const Fence read, value.on_device->read(*value.owned));
    reads.push_back(read);
    value.data = value.owned->data();
  }
  if (reads.empty()) return false;
  pending_ = {when_all_settled(reads), nullptr};
  is_pending_ = true;
  is_fetching_ = true;
  return true;
}

// Takes in what was under way. A step that failed may be under way again afterwards.
Status SegmentedRun::settle_pending(bool may_run_inline) {
  if (std::exchange(is_fetching_, false)) {
    NNVK_TRY(pending_.done.result());
    for (Value& value : attempt_.inputs) value.on_device.reset();
    return send(may_run_inline);
  }
  const Status absorbed = absorb();
  if (absorbed || !is_rescuable(absorbed.error(), true)) return absorbed;
  return run_on_rescue(absorbed.error(), may_run_inline);
}

Status SegmentedRun::absorb() {
  if (pending_.report != nullptr && pending_.report->loop_timed_out) report_->loop_timed_out = true;
  NNVK_TRY(pending_.done.result());
  has_begun_ = true;
  if (pending_.report == nullptr) return {};  // results read back from the device
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

// Nodes of referenced models count for the control flow operation.
void SegmentedRun::absorb_profile(const ExecutionReport& report) {
  const Segment& segment = attempt_.segment->segment;
  for (NodeProfile node : report.profile) {
    if (node.device.empty() && running_device() != nullptr) node.device = running_device()->info().name;
    if (segment.kind != Segment::Kind::kStraight) node.source_operation = state_->plan->nodes[segment.node].source_operation;
    report_->profile.push_back(std::move(node));
  }
}

Status SegmentedRun::absorb_output(Target& target, const OutputReport& report) {
  Value& value = target.value;
  if (!merge_shapes(value.shape, report.shape) && !settle_data_dependent_shape(value.shape, report.shape)) {
    return fail(Code::kOpFailed,
                "a result has shape " + report.shape.to_string() + " where " + value.shape.to_string() + " is declared");
  }
  value.shape = report.shape;
  if (target.client_output != SIZE_MAX) {
    value.data = outputs_[target.client_output].data;
    value.size = outputs_[target.client_output].size;
  } else if (value.owned != nullptr) {
    value.data = value.owned->data();
    value.size = value.owned->size();
  }
  if (target.tensor != kNoTensor) values_[target.tensor] = value;
  return {};
}

// Fetches results that are on the device only; false when there are none.
Result<bool> SegmentedRun::read_back() {
  if (std::exchange(is_read_back_, true)) return false;
  std::vector<Fence> reads;
  for (size_t i = 0; i < outputs_.size(); ++i) {
    Value& value = values_[state_->plan->outputs[i]];
    if (value.on_device == nullptr || outputs_[i].omitted) continue;
    OperandInfo info = state_->plan->tensors[state_->plan->outputs[i]].info;
    info.shape = value.shape;
    value.owned = state_->buffers.take(state_->plan->outputs[i]);
    value.owned->resize(info.byte_size().value_or(0));
    NNVK_ASSIGN(const Fence read, value.on_device->read(*value.owned));
    reads.push_back(read);
    value.data = value.owned->data();
    value.size = value.owned->size();
  }
  if (reads.empty()) return false;
  targets_.clear();
  attempt_ = {};
  pending_ = {when_all_settled(reads), nullptr};  // a read that goes on needs its memory
  is_pending_ = true;
  return true;
}

// Copies to the client what was not written there, and reports all shapes.
Status SegmentedRun::deliver() {
  const Plan& plan = *state_->plan;
  Status result;
  for (size_t i = 0; i < outputs_.size(); ++i) {
    const Value& value = values_[plan.outputs[i]];
    const Binding& binding = outputs_[i];
    OutputReport& report = report_->outputs[i];
    const bool is_as_declared = merge_shapes(report.shape, value.shape).has_value();
    const auto settled = is_as_declared ? value.shape : settle_data_dependent_shape(report.shape, value.shape);
    if (!settled) {
      return fail(Code::kOpFailed, "output " + std::to_string(i) + " has shape " + value.shape.to_string() +
                                       " but is declared as " + report.shape.to_string());
    }
    report.shape = *settled;
    if (binding.omitted || (is_as_declared && value.data == binding.data)) continue;
    OperandInfo info = plan.tensors[plan.outputs[i]].info;
    info.shape = *settled;
    const auto size = info.byte_size();
    if (value.omitted || !size || (is_as_declared && *size > value.size)) {
      return fail(Code::kOpFailed, "output " + std::to_string(i) + " has no value");
    }
    if (binding.growable != nullptr) {
      binding.growable->resize(*size);
    } else if (binding.size < *size || (binding.data == nullptr && *size > 0)) {
      report.sufficient = false;
      result =
          fail(Code::kOutputInsufficientSize, "output " + std::to_string(i) + " has " + std::to_string(binding.size) +
                                                  " bytes, " + std::to_string(*size) + " are needed for " + settled->to_string());
      continue;
    }
    std::byte* const to = binding.growable != nullptr ? binding.growable->data() : binding.data;
    if (*size == 0) continue;
    state_->bytes_copied_out += *size;
    is_as_declared ? std::memcpy(to, value.data, *size) : std::memset(to, 0, *size);  // empty though declared with a size: zeros
  }
  return result;
}

}  // namespace nnvk
