// Conditions and loop values are read by the host between submissions; everything else is done by the prepared plans.
#include "core/runtime/segmented_run.h"

#include <algorithm>
#include <cstring>
#include <new>
#include <utility>

#include "core/operations/data_dependent_shape.h"

namespace nnvk {
namespace {

using Clock = std::chrono::steady_clock;

}  // namespace

// Goes on until a submission is under way or everything is done. Whoever comes second, the settling fence or the loop here,
// continues: devices that finish inside submit() do not nest calls, however many iterations a loop has.
void SegmentedRun::advance(bool may_run_inline) {
  while (true) {
    Status result;
    try {
      const Result<bool> more = next(may_run_inline);
      if (more && *more) {
        auto arrived = std::make_shared<std::atomic<int>>(0);
        pending_.done.on_settled([self = shared_from_this(), arrived](const Status&) {
          if (arrived->fetch_add(1) == 1) self->advance(true);
        });
        if (arrived->fetch_add(1) == 0) return;
        continue;
      }
      result = more ? deliver() : Status(fail(more.error()));
    } catch (const std::bad_alloc&) {
      result = fail(Code::kOutOfMemory, "not enough memory for a tensor between two parts of the model");
    }
    return finish(std::move(result));
  }
}

void SegmentedRun::finish(Status result) {
  report_->result = std::move(result);
  if (!report_->result && report_->result.error().code != Code::kOutputInsufficientSize) report_->outputs.clear();
  if (request_.measure_timing) {
    report_->driver_nanoseconds = static_cast<uint64_t>(std::chrono::nanoseconds(Clock::now() - started_).count());
  } else {
    report_->hardware_nanoseconds = kNoDuration;
  }
  if (report_->result) ++state_->executions;
  values_.clear();
  loop_values_.clear();
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
    NNVK_TRY(absorb());
  } else {
    NNVK_TRY(bind_inputs());
  }
  while (step_ < state_->segments.size()) {
    if (request_.deadline && Clock::now() >= *request_.deadline) {
      return fail(Code::kMissedDeadlineTransient, "the deadline passed between two parts of the model");
    }
    const PreparedSegment& prepared = state_->segments[step_];
    const Segment& segment = prepared.segment;
    if (segment.kind == Segment::Kind::kWhile) {
      NNVK_ASSIGN(const bool submitted, enter_loop_phase(prepared, may_run_inline));
      if (submitted) return true;
      continue;
    }
    PreparedPlan* plan = prepared.first.get();
    if (segment.kind == Segment::Kind::kIf) {
      const auto holds = condition_of(values_[segment.condition]);
      if (!holds) return fail(holds.error().at(state_->plan->describe(state_->plan->nodes[segment.node])));
      if (!*holds) plan = prepared.second.get();
    }
    targets_.clear();
    for (size_t i = 0; i < segment.outputs.size(); ++i) targets_.push_back(target_for(prepared, i));
    NNVK_TRY(submit(*plan, values_of(segment.inputs), may_run_inline));
    ++step_;
    return true;
  }
  return read_back();
}

// Condition, body, condition, ...; false when the loop has ended and step_ has moved on.
Result<bool> SegmentedRun::enter_loop_phase(const PreparedSegment& prepared, bool may_run_inline) {
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
    targets_.push_back(loop_target(segment.first->tensors[segment.first->outputs[0]].info, false));
    NNVK_TRY(submit(*prepared.first, loop_values_, may_run_inline));
    return true;
  }
  NNVK_ASSIGN(const bool goes_on, condition_of(targets_[0].value));
  NNVK_TRY(check_loop_time(prepared, goes_on));
  if (goes_on) {
    phase_ = LoopPhase::kBody;
    targets_.clear();
    for (size_t i = 0; i < body.outputs.size(); ++i) {
      targets_.push_back(loop_target(body.tensors[body.outputs[i]].info, prepared.may_stay_on_device[i]));
    }
    NNVK_TRY(submit(*prepared.second, loop_values_, may_run_inline));
    return true;
  }
  for (size_t i = 0; i < segment.outputs.size(); ++i) values_[segment.outputs[i]] = loop_values_[i];
  loop_values_.clear();
  phase_ = LoopPhase::kEnter;
  ++step_;
  return false;
}

// Semantics 5.3: loops whose sizes are all known are looked at after every evaluation of the condition, the others only when they
// go on.
Status SegmentedRun::check_loop_time(const PreparedSegment& prepared, bool goes_on) const {
  if (!goes_on && !prepared.sizes_known) return {};
  if (Clock::now() - loop_started_ <= request_.loop_timeout) return {};
  return fail(Code::kMissedDeadlineTransient,
              state_->plan->describe(state_->plan->nodes[prepared.segment.node]) + ": the loop ran longer than its timeout of " +
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
  make_room(target, declared.info, declared.role != TensorRole::kOutput && prepared.may_stay_on_device[output]);
  return target;
}

SegmentedRun::Target SegmentedRun::loop_target(const OperandInfo& info, bool may_stay_on_device) {
  Target target;
  target.value.shape = info.shape;
  make_room(target, info, may_stay_on_device);
  return target;
}

// Device memory where the host need not see the value and its size is certain; else host memory that grows as needed.
void SegmentedRun::make_room(Target& target, const OperandInfo& info, bool may_stay_on_device) {
  const auto size = info.byte_size();
  if (may_stay_on_device && size) {
    if (auto memory = state_->device_memory->take(*size)) {
      target.value.on_device = std::move(*memory);
      target.value.size = *size;
      return;
    }
  }
  target.value.owned = std::make_shared<std::vector<std::byte>>();
}

// Runs `plan` on `inputs` into targets_. Inputs and targets stay alive in this object until the fence settles.
Status SegmentedRun::submit(PreparedPlan& plan, const std::vector<Value>& inputs, bool may_run_inline) {
  std::vector<Binding> input_bindings(inputs.size());
  for (size_t i = 0; i < inputs.size(); ++i) {
    Binding& binding = input_bindings[i];
    binding.data = const_cast<std::byte*>(inputs[i].data);  // devices only read inputs
    binding.size = inputs[i].size;
    binding.shape = inputs[i].shape;
    binding.omitted = inputs[i].omitted;
    binding.mapping = inputs[i].mapping;
    binding.device_memory = inputs[i].on_device.get();
    binding.device_offset = inputs[i].device_offset;
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
  NNVK_ASSIGN(pending_, plan.submit(request));
  is_pending_ = true;
  return {};
}

Status SegmentedRun::absorb() {
  NNVK_TRY(pending_.done.result());
  if (pending_.report == nullptr) return {};  // results read back from the device
  const ExecutionReport& report = *pending_.report;
  NNVK_TRY(report.result);
  if (report.outputs.size() != targets_.size()) return fail(Code::kOpFailed, "a device reported another number of outputs");
  for (size_t i = 0; i < targets_.size(); ++i) NNVK_TRY(absorb_output(targets_[i], report.outputs[i]));
  if (report.hardware_nanoseconds != kNoDuration) {
    const bool is_first = report_->hardware_nanoseconds == kNoDuration;
    report_->hardware_nanoseconds = (is_first ? 0 : report_->hardware_nanoseconds) + report.hardware_nanoseconds;
  }
  report_->profile.insert(report_->profile.end(), report.profile.begin(), report.profile.end());
  return {};
}

Status SegmentedRun::absorb_output(Target& target, const OutputReport& report) {
  Value& value = target.value;
  if (!merge_shapes(value.shape, report.shape) && !settle_data_dependent_shape(value.shape, report.shape)) {
    return fail(Code::kOpFailed, "a result has shape " + report.shape.to_string() + " where " + value.shape.to_string() +
                                     " is declared");
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
    value.owned = std::make_shared<std::vector<std::byte>>(info.byte_size().value_or(0));
    NNVK_ASSIGN(const Fence read, value.on_device->read(*value.owned));
    reads.push_back(read);
    value.data = value.owned->data();
    value.size = value.owned->size();
  }
  if (reads.empty()) return false;
  targets_.clear();
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
      result = fail(Code::kOutputInsufficientSize, "output " + std::to_string(i) + " has " + std::to_string(binding.size) +
                                                       " bytes, " + std::to_string(*size) + " are needed for " +
                                                       settled->to_string());
      continue;
    }
    std::byte* const to = binding.growable != nullptr ? binding.growable->data() : binding.data;
    if (*size == 0) continue;
    is_as_declared ? std::memcpy(to, value.data, *size) : std::memset(to, 0, *size);  // empty though declared with a size: zeros
  }
  return result;
}

}  // namespace nnvk
