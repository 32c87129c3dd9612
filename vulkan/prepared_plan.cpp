// Executions: shapes to recording, inputs in, outputs out, report.
#include "vulkan/prepared_plan.h"

#include <algorithm>
#include <condition_variable>
#include <cstring>
#include <mutex>
#include <utility>

#include "core/base/log.h"
#include "core/base/trace.h"
#include "core/operations/data_dependent_shape.h"
#include "core/operations/operation_definition.h"
#include "vulkan/memory/host_import.h"
#include "vulkan/recording/io_access.h"
#include "vulkan/recording/recording.h"
#include "vulkan/recording/recording_cache.h"
#include "vulkan/recording/resident_memory.h"
#include "vulkan/recording/restore_preparation.h"

namespace nnvk::vulkan {
namespace {

using Clock = std::chrono::steady_clock;
using Deadline = std::optional<Clock::time_point>;

uint64_t nanoseconds_since(Clock::time_point start) {
  return static_cast<uint64_t>(std::chrono::duration_cast<std::chrono::nanoseconds>(Clock::now() - start).count());
}

// One execution from submit() to its fence.
struct Execution {
  std::vector<Binding> inputs;
  std::vector<Binding> outputs;
  std::vector<IoPlace> places;  // inputs, then outputs
  Deadline deadline;
  Measure measure = Measure::kNothing;
  bool measure_timing = false;
  bool profile = false;
  Clock::time_point submitted = Clock::now();
  std::shared_ptr<ExecutionReport> report = std::make_shared<ExecutionReport>();
  Fence done = Fence::pending();
};

// The memory behind the binding when it was allocated by this device; null for host memory and foreign memory.
ResidentMemory* resident_memory(const Binding& binding, const Gpu& gpu) {
  auto* memory = dynamic_cast<ResidentMemory*>(binding.device_memory);
  return memory != nullptr && memory->belongs_to(gpu) ? memory : nullptr;
}

// Bytes that a device may use of the binding, wherever they lie.
size_t available_bytes(const Binding& binding) {
  if (binding.device_memory == nullptr) return binding.data != nullptr ? binding.size : 0;
  const uint64_t size = binding.device_memory->size();
  return binding.device_offset < size ? size - binding.device_offset : 0;
}

bool has_passed(const Deadline& deadline) { return deadline && Clock::now() >= *deadline; }

Status compiled_too_long() { return fail(Code::kMissedDeadlineTransient, "compilation took longer than its deadline"); }

std::vector<BoundTensor> bound_inputs(const Execution& execution) {
  std::vector<BoundTensor> bound;
  for (const Binding& binding : execution.inputs) {
    bound.push_back({binding.shape, {binding.data, binding.data != nullptr ? binding.size : 0}, binding.omitted});
  }
  return bound;
}

std::vector<BoundTensor> bound_outputs(const Execution& execution) {
  std::vector<BoundTensor> bound;
  for (const Binding& binding : execution.outputs) bound.push_back({binding.shape, {}, binding.omitted});
  return bound;
}

// Totals per node, in the order of the nodes.
std::vector<NodeProfile> node_profiles(const Plan& plan, const Recording& recording, const RunTimes& times) {
  std::map<uint32_t, NodeProfile> by_node;
  std::map<uint32_t, uint64_t> slowest;
  const auto& dispatches = recording.program().dispatches;
  for (size_t d = 0; d < dispatches.size() && d < times.dispatch_nanoseconds.size(); ++d) {
    const Dispatch& dispatch = dispatches[d].dispatch;
    const PlanNode& node = plan.nodes[dispatch.node];
    NodeProfile& profile = by_node[dispatch.node];
    profile.source_operation = node.source_operation;
    profile.operation = operation_name(node.code);
    const uint64_t time = times.dispatch_nanoseconds[d];
    if (profile.kernel.empty() || time > slowest[dispatch.node]) {  // named after the kernel that takes longest
      slowest[dispatch.node] = time;
      profile.kernel = std::string(kernel_info(dispatch.kernel).name) + (dispatches[d].words_variant ? " words, " : " texel, ") +
                       dispatch.label;
    }
    profile.nanoseconds += time;
    profile.bytes += recording.dispatch_bytes()[d];
    profile.multiply_adds += dispatch.multiply_adds;
  }
  std::vector<NodeProfile> profiles;
  for (auto& [node, profile] : by_node) profiles.push_back(std::move(profile));
  return profiles;
}

// Shows a run that measured each dispatch on the device's track of the trace.
void trace_run(Gpu& gpu, const Recording& recording, const RunTimes& times, std::string_view section) {
  if (times.began == 0) return;
  std::vector<GpuTrack::Slice> slices;
  const auto& dispatches = recording.program().dispatches;
  for (size_t d = 0; d < dispatches.size() && d < times.dispatch_nanoseconds.size(); ++d) {
    slices.push_back({dispatches[d].dispatch.label, times.dispatch_nanoseconds[d]});
  }
  gpu.track.write(section, times.began, slices);
}

}  // namespace

class VulkanPreparedPlan::State : public std::enable_shared_from_this<State> {
 public:
  State(std::shared_ptr<Gpu> gpu, std::shared_ptr<const Plan> plan, HostEvaluator evaluator, int32_t priority)
      : gpu_(std::move(gpu)),
        plan_(std::move(plan)),
        evaluator_(std::move(evaluator)),
        priority_(priority),
        parameter_inputs_(parameter_inputs(*plan_)),
        has_data_dependent_outputs_(std::any_of(plan_->nodes.begin(), plan_->nodes.end(),
                                                [](const PlanNode& node) { return has_data_dependent_shapes(node.code); })) {}

  // Makes everything ready that does not depend on executions. With a cache: from what it kept, when that may be trusted, and
  // what had to be made goes into it.
  Status prepare(PreparationCache* cache, bool trust_kept, const Deadline& deadline);
  // Whether something that the cache had kept is in here. A state whose prepare() failed then says nothing about the plan.
  bool uses_kept() const { return uses_kept_; }
  Result<Submission> submit(const Request& request);
  bool takes_device_memory(const DeviceMemory& memory, bool is_input, size_t index) const;
  Counters counters() const;
  void wait_until_idle();

 private:
  Result<std::shared_ptr<Recording>> recording_for(std::span<const BoundTensor> inputs, std::span<const BoundTensor> outputs,
                                                   const Deadline& compile_deadline, Fence* prepared, bool* resolved = nullptr);
  Result<bool> restore(PreparationCache& cache);
  void keep(PreparationCache& cache) const;
  Status warm_up(const Deadline& deadline);
  Status check_request(const Request& request) const;
  Measure measure_for(bool profile, bool measure_timing) const;
  Status check_bindings(const Execution& execution, const DispatchProgram& program, ExecutionReport& report) const;
  Status grow_outputs(const Execution& execution, const DispatchProgram& program) const;
  std::vector<IoPlace> choose_places(const Execution& execution, const DispatchProgram& program) const;
  Status start(const std::shared_ptr<Execution>& execution);
  void fill_inputs(const Execution& execution, const DispatchProgram& program, std::span<std::byte> io);
  Status drain_outputs(const Execution& execution, const DispatchProgram& program, std::span<const std::byte> io);
  static void settle(Execution& execution, Status result);
  void leave();

  std::shared_ptr<Gpu> gpu_;
  std::shared_ptr<const Plan> plan_;
  HostEvaluator evaluator_;
  int32_t priority_;
  std::vector<bool> parameter_inputs_;
  bool has_data_dependent_outputs_;
  std::shared_ptr<Activity> activity_ = std::make_shared<Activity>();

  std::mutex build_mutex_;  // one recording is built at a time
  ConstantStore constants_{gpu_->context, activity_};
  RecordingCache recordings_;
  bool uses_kept_ = false;
  std::shared_ptr<Recording> warm_;  // built by warm_up(), until prepare() returns

  std::mutex running_mutex_;
  std::condition_variable idle_;
  uint64_t running_ = 0;  // executions handed to a recording whose outputs are not written yet
};

void VulkanPreparedPlan::State::settle(Execution& execution, Status result) {
  execution.report->result = std::move(result);
  const Status& final_result = execution.report->result;
  final_result ? execution.done.signal() : execution.done.fail(final_result.error());
}

void VulkanPreparedPlan::State::leave() {
  const std::lock_guard lock(running_mutex_);
  if (--running_ == 0) idle_.notify_all();
}

void VulkanPreparedPlan::State::wait_until_idle() {
  if (gpu_->completions->is_completion_thread()) return;  // it would wait for itself; executions share this state
  std::unique_lock lock(running_mutex_);
  idle_.wait(lock, [&] { return running_ == 0; });
}

Result<std::shared_ptr<Recording>> VulkanPreparedPlan::State::recording_for(std::span<const BoundTensor> inputs,
                                                                            std::span<const BoundTensor> outputs,
                                                                            const Deadline& compile_deadline, Fence* prepared,
                                                                            bool* resolved) {
  std::vector<std::byte> key;
  append_resolution_key(*plan_, parameter_inputs_, inputs, outputs, key);
  if (auto known = recordings_.find(key)) return known;
  const std::lock_guard building(build_mutex_);
  if (auto known = recordings_.find(key)) return known;
  NNVK_ASSIGN(const Resolution resolution, resolve(*plan_, inputs, outputs, evaluator_));
  if (resolved != nullptr) *resolved = true;
  Fence packing = Fence::already_signalled();
  NNVK_ASSIGN(auto recording, Recording::build(gpu_, activity_, *plan_, resolution, constants_, packing, compile_deadline));
  if (prepared != nullptr) *prepared = packing;
  recordings_.insert(std::move(key), recording);
  return recording;
}

// Only what does not depend on executions can be built now: known input shapes, no parameters among the inputs. What operations
// have against their values is left to the execution: it may omit inputs that are taken as given here, and it need not come at all
// (the plan may be a branch that is never taken).
Status VulkanPreparedPlan::State::warm_up(const Deadline& deadline) {
  if (std::find(parameter_inputs_.begin(), parameter_inputs_.end(), true) != parameter_inputs_.end()) return {};
  std::vector<BoundTensor> inputs;
  for (const TensorId id : plan_->inputs) {
    if (!plan_->tensors[id].info.shape.fully_known()) return {};
    inputs.push_back({plan_->tensors[id].info.shape, {}, false});
  }
  std::vector<BoundTensor> outputs;
  for (const TensorId id : plan_->outputs) outputs.push_back({plan_->tensors[id].info.shape, {}, false});

  Fence prepared = Fence::already_signalled();
  bool resolved = false;
  const auto built = recording_for(inputs, outputs, deadline, &prepared, &resolved);
  if (!built) return resolved ? Status(fail(built.error())) : Status();
  const std::shared_ptr<Recording>& recording = *built;
  warm_ = recording;
  NNVK_TRY(prepared.wait());
  if (has_passed(deadline)) return compiled_too_long();
  const Fence warm = Fence::pending();
  recording->run({measure_for(false, false), priority_, {}},
                 {{}, {}, {}, [warm, self = shared_from_this(), recording](const Status& result, const RunTimes& times) {
                    trace_run(*self->gpu_, *recording, times, "[NN_LD_PC]");
                    result ? warm.signal() : warm.fail(result.error());
                  }});
  NNVK_TRY(warm.wait());
  return has_passed(deadline) ? compiled_too_long() : Status();
}

// A trace shows dispatches, so they are measured meanwhile.
Measure VulkanPreparedPlan::State::measure_for(bool profile, bool measure_timing) const {
  if (!gpu_->context->plan().timestamps) return Measure::kNothing;
  if (profile || (trace::may_be_on() && trace::writes_file())) return Measure::kEachDispatch;
  return measure_timing ? Measure::kWhole : Measure::kNothing;
}

// False when the cache has nothing of use.
Result<bool> VulkanPreparedPlan::State::restore(PreparationCache& cache) {
  const auto kept = decode(cache.find(*plan_), gpu_->context->snapshot());
  if (!kept) return false;
  uses_kept_ = true;
  NNVK_TRY(restore_preparation(*kept, *gpu_, constants_, *activity_));
  return true;
}

void VulkanPreparedPlan::State::keep(PreparationCache& cache) const {
  auto kept = keep_preparation(*gpu_, warm_.get(), constants_, *activity_);
  if (kept) return cache.keep(*plan_, std::move(*kept));
  log_line(LogLevel::kInfo, "Vulkan", "nothing is kept for later compilations: " + kept.error().message);
}

Status VulkanPreparedPlan::State::prepare(PreparationCache* cache, bool trust_kept, const Deadline& deadline) {
  if (cache != nullptr) {
    bool hit = false;
    if (trust_kept) {
      NNVK_ASSIGN(hit, restore(*cache));
    }
    (hit ? activity_->cache_hits : activity_->cache_misses).fetch_add(1, std::memory_order_relaxed);
  }
  const Status warm = warm_up(deadline);
  const bool made_something = activity_->pipelines_created > 0 || activity_->weights_packed > 0;
  if (warm && cache != nullptr && (made_something || !uses_kept_)) keep(*cache);
  warm_.reset();
  return warm;
}

Status VulkanPreparedPlan::State::check_request(const Request& request) const {
  if (request.inputs.size() != plan_->inputs.size() || request.outputs.size() != plan_->outputs.size()) {
    return fail(Code::kBadData, "the plan has " + std::to_string(plan_->inputs.size()) + " inputs and " +
                                    std::to_string(plan_->outputs.size()) + " outputs, but " +
                                    std::to_string(request.inputs.size()) + " and " + std::to_string(request.outputs.size()) +
                                    " are bound");
  }
  const auto is_foreign = [&](const Binding& binding) {
    return binding.device_memory != nullptr && resident_memory(binding, *gpu_) == nullptr;
  };
  if (std::any_of(request.inputs.begin(), request.inputs.end(), is_foreign) ||
      std::any_of(request.outputs.begin(), request.outputs.end(), is_foreign)) {
    return fail(Code::kBadData, "memory of another device is bound: bind host memory or memory allocated by this device");
  }
  return {};
}

Result<Submission> VulkanPreparedPlan::State::submit(const Request& request) {
  NNVK_TRY(check_request(request));
  auto execution = std::make_shared<Execution>();
  execution->inputs.assign(request.inputs.begin(), request.inputs.end());
  execution->outputs.assign(request.outputs.begin(), request.outputs.end());
  execution->deadline = request.deadline;
  execution->measure_timing = request.measure_timing;
  execution->profile = request.profile;
  execution->measure = measure_for(request.profile, request.measure_timing);
  NNVK_TRY(start(execution));
  return Submission{execution->done, execution->report};
}

namespace {

// Whether the client's memory holds `size` bytes of an output; nothing is needed for an omitted one.
bool fits(const Binding& binding, const IoTensor& tensor, uint64_t size) {
  if (binding.omitted || binding.growable != nullptr || !tensor.used) return true;
  return available_bytes(binding) >= size;
}

Status insufficient(size_t output, const Binding& binding, uint64_t size, const Shape& shape) {
  return fail(Code::kOutputInsufficientSize, "output " + std::to_string(output) + " has " + std::to_string(available_bytes(binding)) +
                                                 " bytes, " + std::to_string(size) + " are needed for " + shape.to_string());
}

uint32_t word_at(std::span<const std::byte> io, uint64_t offset) {
  uint32_t word = 0;
  std::memcpy(&word, io.data() + offset, sizeof word);
  return word;
}

// Puts the shapes of data-dependent outputs after a run into the report. Returns the outputs that are empty though the model
// declares a size: they are zeros. OP_FAILED when shapes contradict what the model declares.
Result<std::vector<bool>> narrow_outputs(const DispatchProgram& program, std::span<const std::byte> io, ExecutionReport& report) {
  std::vector<bool> is_zeros(program.outputs.size());
  for (const DataSize& size : program.data_sizes) {
    uint32_t& dimension = report.outputs[size.output].shape.dims[size.dimension];
    dimension = std::min(dimension, word_at(io, size.offset));
  }
  for (size_t i = 0; i < program.outputs.size(); ++i) {
    const Shape* agreed = program.outputs[i].data_dependent.get();
    Shape& shape = report.outputs[i].shape;
    if (agreed == nullptr || !program.outputs[i].used) continue;
    if (auto settled = settle_data_dependent_shape(*agreed, shape)) {
      is_zeros[i] = shape != *settled;
      shape = std::move(*settled);
      continue;
    }
    return fail(Code::kOpFailed, "output " + std::to_string(i) + " has shape " + shape.to_string() + " but is declared as " +
                                     agreed->to_string());
  }
  return is_zeros;
}

}  // namespace

// Memory that grows takes whatever size the shapes lead to.
Status VulkanPreparedPlan::State::grow_outputs(const Execution& execution, const DispatchProgram& program) const {
  for (size_t i = 0; i < program.outputs.size(); ++i) {
    ResidentMemory* memory = resident_memory(execution.outputs[i], *gpu_);
    if (memory == nullptr || !program.outputs[i].used || execution.outputs[i].omitted) continue;
    NNVK_TRY(memory->resize(program.outputs[i].size, *activity_));
  }
  return {};
}

// Where each input and output is during the run. Client memory is imported on the way, once.
std::vector<IoPlace> VulkanPreparedPlan::State::choose_places(const Execution& execution, const DispatchProgram& program) const {
  const DevicePlan& device = gpu_->context->plan();
  std::vector<IoPlace> places;
  std::vector<IoFacts> facts;
  const auto add = [&](const Binding& binding, const IoTensor& tensor, bool is_output) {
    IoPlace& place = places.emplace_back();
    IoFacts& fact = facts.emplace_back();
    fact.is_output = is_output;
    if (binding.omitted || !tensor.used) return;
    fact.size = tensor.size;
    fact.size_decided_later = tensor.data_dependent != nullptr;
    if (const ResidentMemory* memory = resident_memory(binding, *gpu_)) {
      place.buffer = memory->buffer();
      place.offset = binding.device_offset;
      fact.host_reaches_it = false;
      fact.room = place.buffer->size() - std::min(place.offset, place.buffer->size());
    } else if (binding.mapping != nullptr && (!is_output || binding.mapping->is_writable())) {
      place.buffer = HostImport::of(binding.mapping, gpu_->context, *activity_);
      if (place.buffer == nullptr) return;
      place.offset = static_cast<uint64_t>(binding.data - place.buffer->host_address());
      fact.room = binding.size;
    } else {
      return;
    }
    fact.buffer = place.buffer->id();
    fact.buffer_size = place.buffer->size();
    fact.offset = place.offset;
  };
  for (size_t i = 0; i < program.inputs.size(); ++i) add(execution.inputs[i], program.inputs[i], false);
  for (size_t i = 0; i < program.outputs.size(); ++i) add(execution.outputs[i], program.outputs[i], true);
  const std::vector<IoChoice> choices = choose_io_access(facts, {device.io_alignment, device.direct_io});
  for (size_t i = 0; i < places.size(); ++i) {
    places[i].direct = choices[i].access == IoAccess::kDirect;
    if (choices[i].access == IoAccess::kHostCopy) places[i] = {};
  }
  return places;
}

// Inputs must hold what the shapes need. Output buffers that are too small are told to the client by its report.
Status VulkanPreparedPlan::State::check_bindings(const Execution& execution, const DispatchProgram& program,
                                                 ExecutionReport& report) const {
  for (size_t i = 0; i < program.inputs.size(); ++i) {
    const Binding& binding = execution.inputs[i];
    if (binding.omitted || !program.inputs[i].used) continue;
    if (available_bytes(binding) < program.inputs[i].size) {
      return fail(Code::kBadData, "input " + std::to_string(i) + " has " + std::to_string(available_bytes(binding)) + " bytes, " +
                                      std::to_string(program.inputs[i].size) + " are needed for " +
                                      program.inputs[i].shape.to_string());
    }
  }
  Status result;
  for (size_t i = 0; i < program.outputs.size(); ++i) {
    const Binding& binding = execution.outputs[i];
    // What depends on data is looked at after the run.
    const bool sufficient = program.outputs[i].data_dependent != nullptr || fits(binding, program.outputs[i], program.outputs[i].size);
    report.outputs.push_back({program.outputs[i].shape, sufficient});
    if (!sufficient && result) result = insufficient(i, binding, program.outputs[i].size, program.outputs[i].shape);
  }
  return result;
}

Status VulkanPreparedPlan::State::start(const std::shared_ptr<Execution>& execution) {
  const trace::Section section("[NN_LD_PE]start");
  if (has_passed(execution->deadline)) {
    return fail(Code::kMissedDeadlinePersistent, "the deadline passed before the execution started");
  }
  NNVK_ASSIGN(const auto recording, recording_for(bound_inputs(*execution), bound_outputs(*execution), std::nullopt, nullptr));
  NNVK_TRY(grow_outputs(*execution, recording->program()));
  const Status bindings = check_bindings(*execution, recording->program(), *execution->report);
  if (!bindings && bindings.error().code != Code::kOutputInsufficientSize) return bindings;
  if (!bindings) {
    settle(*execution, bindings);
    return {};
  }
  {
    const std::lock_guard lock(running_mutex_);
    ++running_;
  }
  execution->places = choose_places(*execution, recording->program());
  RunHooks hooks;
  hooks.places = execution->places;
  hooks.fill = [this, execution, recording](std::span<std::byte> io) { fill_inputs(*execution, recording->program(), io); };
  hooks.drain = [this, execution, recording](std::span<const std::byte> io) {
    return drain_outputs(*execution, recording->program(), io);
  };
  hooks.done = [self = shared_from_this(), execution, recording](const Status& result, const RunTimes& times) {
    ExecutionReport& report = *execution->report;
    if (!result && result.error().code != Code::kOutputInsufficientSize) report.outputs.clear();
    if (execution->measure_timing) {
      report.hardware_nanoseconds = times.hardware_nanoseconds;
      report.driver_nanoseconds = nanoseconds_since(execution->submitted);
    }
    if (result) trace_run(*self->gpu_, *recording, times, "[NN_LD_PCO]");
    if (result && execution->profile) report.profile = node_profiles(*self->plan_, *recording, times);
    if (result) self->activity_->executions.fetch_add(1, std::memory_order_relaxed);
    self->leave();  // nothing of the client's memory is touched any more
    settle(*execution, result);
  };
  recording->run({execution->measure, priority_, execution->deadline}, std::move(hooks));
  return {};
}

void VulkanPreparedPlan::State::fill_inputs(const Execution& execution, const DispatchProgram& program, std::span<std::byte> io) {
  for (size_t i = 0; i < program.inputs.size(); ++i) {
    const IoTensor& tensor = program.inputs[i];
    if (!tensor.used || tensor.size == 0 || execution.places[i].buffer != nullptr) continue;
    std::memcpy(io.data() + tensor.offset, execution.inputs[i].data, tensor.size);
    activity_->bytes_copied_in.fetch_add(tensor.size, std::memory_order_relaxed);
  }
  if (program.input_end > program.output_begin) {
    std::memset(io.data() + program.output_begin, 0, program.input_end - program.output_begin);  // status words
  }
}

Status VulkanPreparedPlan::State::drain_outputs(const Execution& execution, const DispatchProgram& program,
                                                std::span<const std::byte> io) {
  for (const FailureFlag& flag : program.failure_flags) {
    if (word_at(io, flag.offset) != 0) return fail(Code::kOpFailed, flag.message);
  }
  ExecutionReport& report = *execution.report;
  NNVK_ASSIGN(const std::vector<bool> is_zeros, narrow_outputs(program, io, report));
  Status result;
  for (size_t i = 0; i < program.outputs.size(); ++i) {
    const IoTensor& tensor = program.outputs[i];
    const Binding& binding = execution.outputs[i];
    if (!tensor.used || binding.omitted) continue;
    uint64_t size = tensor.size;
    if (tensor.data_dependent != nullptr) {
      OperandInfo info = plan_->tensors[plan_->outputs[i]].info;
      info.shape = report.outputs[i].shape;
      size = info.byte_size().value_or(0);
      report.outputs[i].sufficient = fits(binding, tensor, size);
      if (!report.outputs[i].sufficient) {
        if (result) result = insufficient(i, binding, size, info.shape);
        continue;
      }
    }
    if (binding.growable != nullptr) binding.growable->resize(size);
    if (size == 0 || execution.places[program.inputs.size() + i].buffer != nullptr) continue;
    std::byte* const to = binding.growable != nullptr ? binding.growable->data() : binding.data;
    is_zeros[i] ? std::memset(to, 0, size) : std::memcpy(to, io.data() + tensor.offset, size);
    activity_->bytes_copied_out.fetch_add(size, std::memory_order_relaxed);
  }
  return result;
}

bool VulkanPreparedPlan::State::takes_device_memory(const DeviceMemory& memory, bool is_input, size_t index) const {
  const auto* resident = dynamic_cast<const ResidentMemory*>(&memory);
  if (resident == nullptr || !resident->belongs_to(*gpu_)) return false;
  return is_input ? !parameter_inputs_[index] : !has_data_dependent_outputs_;
}

Counters VulkanPreparedPlan::State::counters() const {
  const Activity& a = *activity_;
  return {{"pipelines_created", a.pipelines_created},
          {"pipelines_restored", a.pipelines_restored},
          {"driver_cache_hits", a.driver_cache_hits},
          {"weights_packed", a.weights_packed},
          {"weights_restored", a.weights_restored},
          {"cache_hits", a.cache_hits},
          {"cache_misses", a.cache_misses},
          {"command_buffers_recorded", a.command_buffers_recorded},
          {"device_allocations", a.device_allocations},
          {"descriptor_sets_written", a.descriptor_sets_written},
          {"bytes_copied_in", a.bytes_copied_in},
          {"bytes_copied_out", a.bytes_copied_out},
          {"bytes_copied_internal", a.bytes_copied_internal},
          {"bytes_uploaded", a.bytes_uploaded},
          {"recordings_built", a.recordings_built},
          {"executions", a.executions}};
}

Result<std::unique_ptr<PreparedPlan>> VulkanPreparedPlan::create(std::shared_ptr<Gpu> gpu, std::shared_ptr<const Plan> plan,
                                                                 HostEvaluator evaluator, const PrepareOptions& options) {
  const trace::Section section("[NN_LD_PC]prepare");
  auto state = std::make_shared<State>(gpu, plan, evaluator, options.priority);
  if (has_passed(options.deadline)) {
    return fail(Code::kMissedDeadlinePersistent, "the deadline passed before compilation started");
  }
  Status ready = state->prepare(options.cache, true, options.deadline);
  if (!ready && state->uses_kept() && !has_passed(options.deadline)) {
    log_line(LogLevel::kInfo, "Vulkan", "once more without what was kept: " + ready.error().message);
    state = std::make_shared<State>(std::move(gpu), std::move(plan), std::move(evaluator), options.priority);
    ready = state->prepare(options.cache, false, options.deadline);
  }
  NNVK_TRY(std::move(ready));
  return std::unique_ptr<PreparedPlan>(new VulkanPreparedPlan(std::move(state)));
}

VulkanPreparedPlan::~VulkanPreparedPlan() { state_->wait_until_idle(); }

Result<Submission> VulkanPreparedPlan::submit(const Request& request) { return state_->submit(request); }

bool VulkanPreparedPlan::takes_device_memory(const DeviceMemory& memory, bool is_input, size_t index) const {
  return state_->takes_device_memory(memory, is_input, index);
}

Counters VulkanPreparedPlan::counters() const { return state_->counters(); }

}  // namespace nnvk::vulkan
