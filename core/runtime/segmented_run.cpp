// The host reads conditions and exchanges loop values between submissions; the prepared plans do all other work.
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

// The most preparation time that a loop's timeout leaves out: loops that prepare new sizes in every round must end as well.
constexpr std::chrono::seconds kMostPreparationOfLoop{60};

Result<bool> condition_of(const Value& value) {
  if (value.binding.omitted || value.binding.size < 1) return fail(Code::kOpFailed, "the condition has no value");
  return value.binding.data[0] != std::byte{0};
}

// Copies of values from a device to the host. The destructor waits for them, so that the memory outlives them, unless all() ran.
class Reads {
 public:
  explicit Reads(size_t most) { fences_.reserve(most); }
  ~Reads() {
    if (is_handed_on_) return;
    for (const Fence& read : fences_) static_cast<void>(read.wait());  // an error, or no memory
  }
  Reads(const Reads&) = delete;
  Reads& operator=(const Reads&) = delete;
  // Starts copying `value` from its device to `bytes`, which has the value's size. From now on `value` owns `bytes` and refers to
  // them. It must outlive the copy.
  Status add(Value& value, std::shared_ptr<std::vector<std::byte>> bytes) {
    value.owned = std::move(bytes);
    NNVK_ASSIGN(const Fence read, value.binding.device_memory->read(*value.owned));
    fences_.push_back(read);
    value.binding.data = value.owned->data();
    value.binding.size = value.owned->size();
    return {};
  }
  bool empty() const { return fences_.empty(); }
  // Returns a fence that settles when all reads have settled. The caller must keep the memory until then.
  Fence all() {
    Fence all = when_all_settled(fences_);
    is_handed_on_ = true;
    return all;
  }

 private:
  std::vector<Fence> fences_;
  bool is_handed_on_ = false;
};

// Returns the key of the buffer of a loop's value that has no tensor in the plan. `output` is the number of an output of the
// body, or the number of the body's outputs for the output of the condition.
uint64_t loop_key(const Segment& segment, size_t output) { return (uint64_t{segment.node} + 1) << 32 | output; }

}  // namespace

Result<PreparedPlan*> SegmentedState::rescue_plan(PreparedModel& model) {
  const std::lock_guard lock(rescue_mutex);
  if (model.rescue == nullptr) {
    NNVK_ASSIGN(model.rescue, rescue->prepare(model.straight, PrepareOptions{}));
  }
  return model.rescue.get();
}

Value SegmentedState::room_for(const OperandInfo& info, uint64_t key, Device* device, bool may_stay_on_device) {
  Value value;
  value.binding.shape = info.shape;
  value.written_by = device;
  const auto size = info.byte_size();
  if (may_stay_on_device && size) {
    if (auto memory = device_memory.take(*device, *size)) {
      value.on_device = std::move(*memory);
      value.binding.device_memory = value.on_device.get();
      value.binding.size = *size;
      return value;
    }
  }
  if (shares_memory && size.value_or(0) > 0) {
    if (auto memory = shared_memory.take(*size)) {
      value.binding.data = (*memory)->bytes().data();
      value.binding.size = *size;
      value.binding.mapping = *std::move(memory);
      return value;
    }
  }
  value.owned = buffers.take(key);
  return value;
}

void SegmentedRun::start() {
  Status started = catch_out_of_memory([this]() -> Status {
    NNVK_TRY(bind_inputs());
    return advance();
  });
  if (!started) finish(std::move(started));
}

// Continues until a submission is in progress or everything is done; a launch thread continues when that submission ends. The
// function is a loop, because devices may finish inside submit(), and nested calls would need stack for every iteration.
Status SegmentedRun::advance() {
  while (true) {
    NNVK_ASSIGN(const bool more, next());
    if (!more) break;
    const Fence done = under_way_->done;
    if (done.state() != Fence::State::kPending) continue;
    if (client_.request.caller_waits) {  // no other thread need be woken for each step
      static_cast<void>(done.wait());
      continue;
    }
    client_.request.may_run_inline = true;  // from here on this runs on launch threads, which may compute
    const auto self = shared_from_this();
    auto go_on = shared_.launches.prepare(
        {shared_.priority, [self] { return self->advance(); }, [self](const Error& error) { self->finish(fail(error)); }});
    done.on_settled([go_on = std::move(go_on)](const Status&) { go_on(); });
    return {};
  }
  NNVK_TRY(deliver());
  finish({});
  return {};
}

void SegmentedRun::finish(Status result) {
  if (under_way_) static_cast<void>(under_way_->done.wait());  // memory ran out while the device uses memory of this run
  const Status& final_result = report_.finish(std::move(result), client_.request.measure_timing);
  if (final_result) ++shared_.executions;
  values_.clear();
  under_way_.reset();
  client_.clear();
  shared_.running.leave();  // from now on the plan may be destroyed. The fence comes last: its callbacks may do so
  done_.settle(final_result);
}

Result<bool> SegmentedRun::next() {
  if (!under_way_) return start_step();
  UnderWay settled = *std::exchange(under_way_, std::nullopt);
  const Status done = settled.done.result();
  if (auto* const computing = std::get_if<Computing>(&settled.state)) return leave(*computing, done);
  NNVK_TRY(done);
  auto* const fetching = std::get_if<Fetching>(&settled.state);
  if (fetching == nullptr) return false;  // the results are read back
  for (Value& value : fetching->inputs) {
    value.binding.device_memory = nullptr;
    value.on_device.reset();
  }
  return submit(std::move(*fetching));
}

Result<bool> SegmentedRun::leave(Computing& computing, const Status& done) {
  Part& part = computing.part;
  report_.add_attempt(*computing.report);
  const Status taken = done ? take_results(part, *computing.report) : done;
  if (!taken) {
    if (!is_rescuable(part, taken.error(), true)) return fail(taken.error());
    return run_on_rescue(std::move(part), taken.error());
  }
  return std::visit([&](auto& way) { return use(way, part); }, part.use);
}

Result<bool> SegmentedRun::use(Step& /*step*/, Part& part) {
  for (size_t i = 0; i < part.targets.size(); ++i) values_[part.segment->segment.outputs[i]] = std::move(part.targets[i].value);
  ++step_;
  return start_step();
}

Result<bool> SegmentedRun::use(Condition& condition, Part& part) {
  NNVK_TRY(check_deadline());
  PreparedSegment& prepared = *part.segment;
  const Segment& segment = prepared.segment;
  NNVK_ASSIGN(const bool goes_on, condition_of(part.targets[0].value));
  NNVK_TRY(check_loop_time(condition, prepared, goes_on));
  if (!goes_on) {
    for (size_t i = 0; i < segment.outputs.size(); ++i) values_[segment.outputs[i]] = std::move(condition.values[i]);
    ++step_;
    return start_step();
  }
  const Plan& body = *segment.second;
  std::vector<Target> targets;
  for (size_t i = 0; i < body.outputs.size(); ++i) {
    const OperandInfo& value = body.tensors[body.outputs[i]].info;
    const uint64_t key = loop_key(segment, i);
    targets.push_back({shared_.room_for(value, key, prepared.device, prepared.may_stay_on_device[i]), key});
  }
  std::vector<Value> inputs = condition.values;
  return submit({Body{std::move(condition)}, &prepared, &prepared.second, std::move(inputs), std::move(targets), false});
}

Result<bool> SegmentedRun::use(Body& body, Part& part) {
  NNVK_TRY(check_deadline());
  for (size_t i = 0; i < part.targets.size(); ++i) body.values[i] = std::move(part.targets[i].value);
  return start_condition(*part.segment, std::move(body));
}

Result<bool> SegmentedRun::start_condition(PreparedSegment& prepared, Loop loop) {
  const Segment& segment = prepared.segment;
  const OperandInfo& condition = segment.first->tensors[segment.first->outputs[kFirstOutput]].info;
  const uint64_t key = loop_key(segment, segment.second->outputs.size());
  std::vector<Target> targets{{shared_.room_for(condition, key, prepared.device, false), key}};
  std::vector<Value> inputs = loop.values;
  return submit({Condition{std::move(loop)}, &prepared, &prepared.first, std::move(inputs), std::move(targets), false});
}

Result<bool> SegmentedRun::start_step() {
  if (step_ == shared_.segments.size()) return read_back();
  NNVK_TRY(check_deadline());
  PreparedSegment& prepared = shared_.segments[step_];
  const Segment& segment = prepared.segment;
  if (segment.kind == Segment::Kind::kWhile) {
    return start_condition(prepared, {values_of(segment.inputs), report_.preparation()});
  }
  PreparedModel* model = &prepared.first;
  if (segment.kind == Segment::Kind::kIf) {
    const auto holds = condition_of(values_[segment.condition]);
    if (!holds) return fail(holds.error().at(shared_.plan->place_of(shared_.plan->nodes[segment.node])));
    if (!*holds) model = &prepared.second;
  }
  std::vector<Target> targets;
  for (size_t i = 0; i < segment.outputs.size(); ++i) targets.push_back(target_for(prepared, i));
  return submit({Step(), &prepared, model, values_of(segment.inputs), std::move(targets), false});
}

Status SegmentedRun::check_deadline() const {
  if (!has_passed(client_.request.deadline)) return {};
  return fail(Code::kMissedDeadlinePersistent, "the deadline passed before a part of the model");
}

// Checks the time of a loop (docs/nnapi/control_flow.md#loop-timeout). Loops with known sizes check their time after every
// condition. Other loops check it only when they continue; so do loops of a model that runs on the CPU because no other device
// could run it.
Status SegmentedRun::check_loop_time(const Loop& loop, const PreparedSegment& prepared, bool goes_on) {
  if (!goes_on && !prepared.times_every_condition) return {};
  // Preparation time does not count towards the loop timeout: a slow driver must not end a loop.
  const auto preparing =
      std::min<std::chrono::nanoseconds>(report_.preparation() - loop.preparation_before, kMostPreparationOfLoop);
  if (Clock::now() - loop.started - preparing <= client_.request.loop_timeout) return {};
  report_.set_loop_timed_out();
  return fail(Code::kMissedDeadlineTransient, shared_.plan->describe(shared_.plan->nodes[prepared.segment.node]) +
                                                  ": the loop ran longer than its timeout of " +
                                                  std::to_string(client_.request.loop_timeout.count() / 1000000) +
                                                  " ms; raise it with ANeuralNetworksExecution_setLoopTimeout");
}

Status SegmentedRun::bind_inputs() {
  const Plan& plan = *shared_.plan;
  if (client_.inputs.size() != plan.inputs.size() || client_.outputs.size() != plan.outputs.size()) {
    return fail(Code::kBadData, std::to_string(client_.inputs.size()) + " inputs and " + std::to_string(client_.outputs.size()) +
                                    " outputs are bound, the plan has " + std::to_string(plan.inputs.size()) + " and " +
                                    std::to_string(plan.outputs.size()));
  }
  values_.resize(plan.tensors.size());
  for (size_t t = 0; t < plan.tensors.size(); ++t) {
    const PlanTensor& tensor = plan.tensors[t];
    values_[t].binding.omitted = tensor.role == TensorRole::kOmitted;
    if (tensor.role == TensorRole::kConstant) values_[t].binding = Binding::of_constant(tensor.value, tensor.info.shape);
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
  // The report begins with the declared shapes, because a failed run reports those for outputs that it has not computed.
  for (size_t i = 0; i < client_.outputs.size(); ++i) {
    const Shape& declared = plan.tensors[plan.outputs[i]].info.shape;
    const auto shape = client_.outputs[i].omitted ? declared : merge_shapes(declared, client_.outputs[i].shape);
    if (!shape) {
      return fail(Code::kBadData, "output " + std::to_string(i) + " is given as " + client_.outputs[i].shape.to_string() +
                                      " but declared as " + declared.to_string());
    }
    report_.outputs().push_back({*shape, true});
  }
  return {};
}

std::vector<Value> SegmentedRun::values_of(const std::vector<TensorId>& tensors) const {
  std::vector<Value> values;
  for (const TensorId id : tensors) values.push_back(values_[id]);
  return values;
}

// Returns the target of an output: the client's own memory if the size is certain and no segment reads the tensor.
SegmentedRun::Target SegmentedRun::target_for(const PreparedSegment& prepared, size_t output) {
  const TensorId tensor = prepared.segment.outputs[output];
  const PlanTensor& declared = shared_.plan->tensors[tensor];
  if (declared.role != TensorRole::kOutput) {
    return {shared_.room_for(declared.info, tensor, prepared.device, prepared.may_stay_on_device[output]), tensor};
  }
  OperandInfo info = declared.info;
  info.shape = report_.outputs()[declared.io_index].shape;
  const Binding& binding = client_.outputs[declared.io_index];
  const auto size = info.byte_size();
  const bool is_clients = !binding.omitted && binding.growable == nullptr && binding.data != nullptr && size &&
                          *size <= binding.size && !shared_.read_later[tensor];
  if (!is_clients) return {shared_.room_for(info, tensor, prepared.device, false), tensor};
  Target target{{}, tensor, declared.io_index};
  target.value.binding.shape = std::move(info.shape);
  return target;
}

// Submits the part to its device. Its inputs and targets stay alive in this object until the fence settles.
Result<bool> SegmentedRun::submit(Part part) {
  for (const Value& value : part.inputs) {
    // The rule of docs/nnapi/shapes.md#zero-sized-tensors. Within one device, an empty tensor is like any other.
    const Device* const to = part.segment->device;
    if (value.written_by == nullptr || to == nullptr || value.written_by == to) continue;
    if (is_empty(value)) return fail(Code::kOpFailed, "an empty tensor cannot go from one device to another");
  }
  PreparedPlan* plan = part.model->prepared.get();
  if (part.on_rescue) {
    const auto began = Clock::now();
    NNVK_ASSIGN(plan, shared_.rescue_plan(*part.model));
    report_.add_preparation(Clock::now() - began);
  }
  std::vector<Binding> inputs;
  for (const Value& value : part.inputs) inputs.push_back(value.binding);
  std::vector<Binding> outputs;
  for (const Target& target : part.targets) {
    Binding& binding = outputs.emplace_back(target.client_output ? client_.outputs[*target.client_output] : target.value.binding);
    binding.shape = target.value.binding.shape;
    binding.growable = target.value.owned.get();
  }
  Request request = client_.request;
  request.inputs = inputs;
  request.outputs = outputs;
  if (part.on_rescue) request.deadline.reset();  // docs/nnapi/devices.md#fallback-at-execution
  Result<Submission> submission = plan->submit(request);
  if (!submission) {
    if (is_rescuable(part, submission.error(), false)) return run_on_rescue(std::move(part), submission.error());
    return fail(std::move(submission).error());
  }
  under_way_ = UnderWay{std::move(submission->done), Computing{std::move(part), std::move(submission->report)}};
  return true;
}

// Returns whether a failed part may run again. Only a plan that one device runs in one submission runs again; a plan in steps has
// itself run its failed steps again. Submissions that a fenced execution has launched do not run again
// (docs/nnapi/execution.md#fenced-computations).
bool SegmentedRun::is_rescuable(const Part& part, const Error& error, bool was_launched) const {
  return shared_.rescue != nullptr && part.model->straight != nullptr && device_of(part) != shared_.rescue &&
         error.code != Code::kOutputInsufficientSize && (!was_launched || client_.request.may_run_again_on_cpu);
}

// Runs the failed part once more, on the fallback's device, with its data in host memory.
Result<bool> SegmentedRun::run_on_rescue(Part part, const Error& error) {
  log_repeated(
      LogLevel::kWarning, "ExecutionBuilder",
      "a step failed on " + device_of(part)->info().name + ": " + error.text() + "; running it on " + shared_.rescue->info().name,
      ++shared_.rescued);
  part.on_rescue = true;
  for (Target& target : part.targets) {
    target.value.written_by = target.client_output ? nullptr : shared_.rescue;
    if (target.value.on_device == nullptr) continue;
    Binding on_host;
    on_host.shape = target.value.binding.shape;
    target.value = {std::move(on_host), shared_.buffers.take(target.key), nullptr, shared_.rescue};
  }
  Reads reads(part.inputs.size());
  for (Value& value : part.inputs) {
    if (value.binding.device_memory == nullptr || value.binding.omitted) continue;
    NNVK_TRY(reads.add(value, std::make_shared<std::vector<std::byte>>(value.binding.size)));
  }
  if (reads.empty()) return submit(std::move(part));
  under_way_ = UnderWay{reads.all(), Fetching{std::move(part)}};
  return true;
}

Status SegmentedRun::take_results(Part& part, const ExecutionReport& report) {
  NNVK_TRY(report.result);
  if (report.outputs.size() != part.targets.size()) return fail(Code::kOpFailed, "a device reported another number of outputs");
  for (size_t i = 0; i < part.targets.size(); ++i) {
    const Target& target = part.targets[i];
    Binding& binding = part.targets[i].value.binding;
    const Shape& shape = report.outputs[i].shape;
    if (!merge_shapes(binding.shape, shape) && !settle_data_dependent_shape(binding.shape, shape)) {
      return fail(Code::kOpFailed,
                  "a result has shape " + shape.to_string() + " where " + binding.shape.to_string() + " is declared");
    }
    binding.shape = shape;
    if (target.client_output) {
      binding.data = client_.outputs[*target.client_output].data;
      binding.size = client_.outputs[*target.client_output].size;
    } else if (target.value.owned != nullptr) {
      binding.data = target.value.owned->data();
      binding.size = target.value.owned->size();
    }
  }
  // The profile attributes nodes of referenced models to the control flow operation.
  const Segment& segment = part.segment->segment;
  std::optional<uint32_t> operation;
  if (segment.kind != Segment::Kind::kStraight) operation = shared_.plan->nodes[segment.node].source_operation;
  report_.add_times(report, device_of(part), operation);
  return {};
}

// Starts copying results that are only in device memory to the host. Returns false if there are none.
Result<bool> SegmentedRun::read_back() {
  Reads reads(client_.outputs.size());
  for (size_t i = 0; i < client_.outputs.size(); ++i) {
    const TensorId tensor = shared_.plan->outputs[i];
    Value& value = values_[tensor];
    if (value.binding.device_memory == nullptr || client_.outputs[i].omitted) continue;
    OperandInfo info = shared_.plan->tensors[tensor].info;
    info.shape = value.binding.shape;
    auto bytes = shared_.buffers.take(tensor);
    bytes->resize(info.byte_size().value_or(0));
    NNVK_TRY(reads.add(value, std::move(bytes)));
  }
  if (reads.empty()) return false;
  under_way_ = UnderWay{reads.all(), ReadingBack()};
  return true;
}

// Copies results that are not in the client's memory yet, and reports all shapes.
Status SegmentedRun::deliver() {
  const Plan& plan = *shared_.plan;
  Status result;
  for (size_t i = 0; i < client_.outputs.size(); ++i) {
    const Binding& value = values_[plan.outputs[i]].binding;
    OutputReport& report = report_.outputs()[i];
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
      shared_.bytes_copied_out += nnvk::deliver(client_.outputs[i], output, value.data);
    } else if (result) {
      result = std::move(room);
    }
  }
  return result;
}

}  // namespace nnvk
