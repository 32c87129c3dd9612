#include "accelerators/plugin_plan.h"

#include <algorithm>
#include <chrono>
#include <utility>

#include "accelerators/driver_memory.h"
#include "accelerators/host_evaluation.h"
#include "accelerators/plugin_memory.h"
#include "core/base/deadline.h"
#include "core/operations/work_estimate.h"
#include "core/runtime/launch_queue.h"
#include "core/runtime/output_delivery.h"

namespace nnvk::accelerators {
namespace {

using Clock = std::chrono::steady_clock;

constexpr uint64_t kFirstRoom = 4096;  // for outputs whose size only the run computes
constexpr int kMostAttempts = 4;       // with more room each time
constexpr uint32_t kLeastAlignment = 16;

// Returns the bytes of an input that the host knows before the execution.
std::span<const std::byte> known_bytes(const Binding& binding) {
  if (const auto* memory = dynamic_cast<const PluginMemory*>(binding.device_memory)) {
    std::shared_ptr<SharedBuffer> buffer;
    return memory->bytes(binding.device_offset, buffer);
  }
  return {binding.data, binding.data != nullptr ? binding.size : 0};
}

std::vector<BoundTensor> bound_tensors(std::span<const Binding> bindings) {
  std::vector<BoundTensor> tensors;
  tensors.reserve(bindings.size());
  for (const Binding& binding : bindings) tensors.push_back({binding.shape, known_bytes(binding), binding.omitted});
  return tensors;
}

bool takes_any_size(const Binding& output) {
  return output.omitted || output.growable != nullptr || (output.device_memory != nullptr && output.device_memory->grows());
}

// Returns, for every output, how many bytes it gets if its size is unknown: its binding's, or a first guess if the binding grows
// to any size.
std::vector<uint64_t> rooms_when_unknown(std::span<const Binding> outputs) {
  std::vector<uint64_t> rooms;
  for (const Binding& binding : outputs) rooms.push_back(takes_any_size(binding) ? kFirstRoom : available_bytes(binding));
  return rooms;
}

}  // namespace

struct PluginPlan::Run {
  Run(const Request& from, std::shared_ptr<KnownShapes> shapes_of_it) : owned(from), shapes(std::move(shapes_of_it)) {}

  std::byte* stand_in_bytes(const ArgumentLayout& layout) const { return stand_in->bytes().data() + layout.offset; }

  OwnedRequest owned;
  const std::shared_ptr<KnownShapes> shapes;
  ArgumentLayouts own_layouts;                    // with more room, after the first were too small
  const ArgumentLayouts* layouts = nullptr;       // own_layouts, or those of the shapes
  std::shared_ptr<SharedBuffer> stand_in;         // null until needed
  std::vector<std::shared_ptr<const void>> kept;  // memory that the driver uses
  std::shared_ptr<DriverCompilation> compilation;
  ExecutionRequest request;
  std::vector<bool> is_direct;  // per output: the driver writes into the client's memory
  int attempts = 0;
  Clock::time_point started = Clock::now();
  Fence done = Fence::pending();
  std::shared_ptr<ExecutionReport> report = std::make_shared<ExecutionReport>();
};

PluginPlan::PluginPlan(std::shared_ptr<PluginContext> context, std::shared_ptr<const Plan> plan,
                       std::shared_ptr<const ConstantArena> constants, CompilationRequest request)
    : context_(std::move(context)),
      plan_(std::move(plan)),
      constants_(std::move(constants)),
      request_(std::move(request)),
      parameter_inputs_(parameter_inputs(*plan_)) {}

PluginPlan::~PluginPlan() { running_.wait_until_none(); }

Status PluginPlan::compile(std::optional<CacheFiles> cache) {
  CompilationRequest request = request_;
  request.cache = std::move(cache);
  if (compilations_ > 0) request.deadline.reset();  // the client's deadline is for the first compilation only
  const uint64_t generation = context_->driver->generation();
  NNVK_ASSIGN(request.model, describe_plan(*plan_, *constants_));
  auto made = std::make_shared<DriverCompilation>(context_->driver, generation);
  NNVK_ASSIGN(CompiledModel compiled, context_->driver->compile(request));
  made->set(std::move(compiled));
  NNVK_TRY(check_compiled(made->compiled(), described_inputs(*plan_), plan_->outputs.size()));
  if (outputs_.empty()) {
    for (const uint32_t id : request.model.outputs) outputs_.push_back(request.model.operands[id]);
    preferences_ = made->compiled();
  }
  compilation_ = std::move(made);
  ++compilations_;
  return {};
}

// Returns the compilation. Compiles again if the driver has lost it; if that fails, the execution treats the device as lost.
Result<std::shared_ptr<DriverCompilation>> PluginPlan::compilation() {
  const std::lock_guard lock(compilation_mutex_);
  Status made;
  if (!compilation_->is_current()) made = compile(std::nullopt);
  if (made) return compilation_;
  if (made.error().code == Code::kUnavailableDevice) made.error().code = Code::kDeadObject;
  return fail(made.error());
}

Result<std::shared_ptr<PluginPlan::KnownShapes>> PluginPlan::shapes_for(const Request& request) {
  if (request.inputs.size() != plan_->inputs.size() || request.outputs.size() != plan_->outputs.size()) {
    return fail(Code::kBadData, "the execution must have as many inputs and outputs as the model");
  }
  const std::vector<BoundTensor> inputs = bound_tensors(request.inputs);
  const std::vector<BoundTensor> outputs = bound_tensors(request.outputs);
  std::vector<std::byte> key;
  append_resolution_key(*plan_, parameter_inputs_, inputs, outputs, key);
  const std::lock_guard lock(shapes_mutex_);
  if (const auto* const known = shapes_.find([&](const auto& shapes) { return shapes->key == key; })) return *known;
  auto shapes = std::make_shared<KnownShapes>();
  NNVK_ASSIGN(shapes->resolution, resolve(*plan_, inputs, outputs, context_->evaluator));
  for (const TensorId id : plan_->inputs) {
    const OperandInfo& info = shapes->resolution.infos[id];
    if (shapes->resolution.present[id] && !info.byte_size()) {
      return fail(Error(Code::kBadData, "its shape " + info.shape.to_string() + " is not fully known or too large")
                      .at(OperandPlace{"input", plan_->tensors[id].io_index}));
    }
  }
  for (const TensorId id : plan_->outputs) {
    const OperandInfo& info = shapes->resolution.infos[id];
    if (info.shape.fully_known() && !info.byte_size()) {
      return fail(Error(Code::kOpFailed, "its shape " + info.shape.to_string() + " has too many bytes")
                      .at(OperandPlace{"output", plan_->tensors[id].io_index}));
    }
  }
  shapes->key = std::move(key);
  const std::vector<uint64_t> rooms = rooms_when_unknown(request.outputs);
  shapes->layouts = lay_out_arguments(*plan_, shapes->resolution, preferences_, rooms);
  shapes_.add(shapes);
  return shapes;
}

Result<CompilationId> PluginPlan::driver_id() {
  NNVK_ASSIGN(const auto made, compilation());
  return made->compiled().id;
}

bool PluginPlan::takes_device_memory(const DeviceMemory& memory, bool is_input, size_t index) const {
  if (const auto* const of_driver = dynamic_cast<const DriverMemory*>(&memory)) return of_driver->serves(*this, is_input, index);
  const auto* const own = dynamic_cast<const PluginMemory*>(&memory);
  return own != nullptr && own->belongs_to(*context_);
}

Status PluginPlan::check_bindings(const Request& request, const KnownShapes& shapes) const {
  const auto check_memory = [&](const Binding& binding, bool is_input, size_t index) {
    const bool is_taken = binding.device_memory == nullptr || takes_device_memory(*binding.device_memory, is_input, index);
    return is_taken ? Status() : fail(Code::kBadData, "an input or output lies in memory that was not made for it");
  };
  for (size_t i = 0; i < request.inputs.size(); ++i) {
    const Binding& binding = request.inputs[i];
    NNVK_TRY(check_memory(binding, true, i));
    if (binding.omitted) continue;
    const size_t there = available_bytes(binding);
    if (there < shapes.layouts.inputs[i].size) {
      return fail(Error(Code::kBadData, "there are " + std::to_string(there) + " bytes, but its shape needs " +
                                            std::to_string(shapes.layouts.inputs[i].size))
                      .at(OperandPlace{"input", static_cast<uint32_t>(i)}));
    }
  }
  for (size_t i = 0; i < request.outputs.size(); ++i) NNVK_TRY(check_memory(request.outputs[i], false, i));
  return {};
}

Result<Submission> PluginPlan::submit(const Request& request) {
  if (has_passed(request.deadline)) {
    return fail(Code::kMissedDeadlinePersistent, "the deadline passed before the execution started");
  }
  NNVK_ASSIGN(std::shared_ptr<KnownShapes> shapes, shapes_for(request));
  NNVK_TRY(check_bindings(request, *shapes));
  const auto run = std::make_shared<Run>(request, std::move(shapes));
  const Submission submission{run->done, run->report};
  const bool caller_waits = request.caller_waits || request.may_run_inline;
  bool is_ready = caller_waits;
  if (!caller_waits) {
    const std::lock_guard lock(compilation_mutex_);
    is_ready = compilation_->is_current();
  }
  WorkerPool::Task task;
  if (!is_ready) task = WorkerPool::make_task(request_.priority, [this, run] { start(run); });
  running_.enter();
  // A lost driver takes time to restart, so another thread starts the run.
  if (is_ready || !context_->workers.enqueue(std::move(task))) start(run);
  return submission;
}

void PluginPlan::start(const std::shared_ptr<Run>& run) {
  Status status = catch_out_of_memory([&]() -> Status {
    if (run->shapes->layouts.has_empty_input) return run_on_host(*run);
    NNVK_ASSIGN(run->compilation, compilation());
    return send(run);
  });
  if (!status || run->shapes->layouts.has_empty_input) finish(run, std::move(status));
}

// Passes the run to the driver. After success, another thread continues the run or has already finished it.
Status PluginPlan::send(const std::shared_ptr<Run>& run) {
  ++run->attempts;
  if (run->layouts == nullptr) run->layouts = &run->shapes->layouts;
  const Request& client = run->owned.request;
  ExecutionRequest& request = run->request;
  request = {};
  request.compilation = run->compilation->compiled().id;
  request.deadline = client.deadline;
  request.measure_timing = client.measure_timing;
  request.caller_waits = client.caller_waits || client.may_run_inline;
  if (client.attributes != nullptr) request.attributes = *client.attributes;
  run->is_direct.assign(client.outputs.size(), false);
  for (size_t i = 0; i < client.inputs.size(); ++i) {
    NNVK_ASSIGN(ArgumentPlace place, place_input(*run, i));
    request.inputs.push_back(std::move(place));
  }
  if (client.inputs.empty()) {
    NNVK_TRY(stand_in_for(*run));
    NNVK_ASSIGN(request.inputs.emplace_back().range, run->stand_in->range(0, kUnreadInputBytes));
  }
  for (size_t i = 0; i < client.outputs.size(); ++i) {
    NNVK_ASSIGN(ArgumentPlace place, place_output(*run, i));
    request.outputs.push_back(std::move(place));
  }
  context_->driver->execute(request, [this, run](ExecutionAnswer answer) { take_answer(run, std::move(answer)); });
  return {};
}

// Returns the place of an argument in the memory to which it is bound; an omitted place if nnvk must copy the data.
Result<ArgumentPlace> PluginPlan::direct_place(const Binding& binding, const ArgumentLayout& layout, uint32_t alignment,
                                               bool to_write, Run& run) const {
  ArgumentPlace place;
  place.dimensions = layout.dimensions;
  if (const auto* const memory = dynamic_cast<const DriverMemory*>(binding.device_memory)) {
    NNVK_ASSIGN(place.memory, memory->id());
    return place;
  }
  if (to_write && (!layout.is_exact || binding.omitted || binding.growable != nullptr)) return place;
  if (available_bytes(binding) < layout.size || layout.size == 0) return place;
  const uint64_t multiple = std::max(alignment, kLeastAlignment);
  if (binding.device_memory != nullptr) {
    const auto& memory = static_cast<const PluginMemory&>(*binding.device_memory);
    if ((to_write && memory.grows()) || binding.device_offset % multiple != 0) return place;
    std::shared_ptr<SharedBuffer> buffer;
    if (memory.bytes(binding.device_offset, buffer).size() < layout.size) return place;
    NNVK_ASSIGN(place.range, buffer->range(binding.device_offset, layout.size));
    run.kept.push_back(std::move(buffer));
    return place;
  }
  if (binding.mapping == nullptr || (to_write && !binding.mapping->is_writable())) return place;
  const auto region = region_of(*binding.mapping, context_->driver);
  if (region == nullptr) return place;
  const auto offset = static_cast<uint64_t>(binding.data - binding.mapping->bytes().data());
  if (offset % multiple != 0) return place;
  const auto id = region->id();
  if (!id) return place;  // memory that cannot be shared is copied
  run.kept.push_back(region);
  place.range = {*id, offset, layout.size};
  return place;
}

Result<ArgumentPlace> PluginPlan::place_input(Run& run, size_t index) {
  const Binding& binding = run.owned.request.inputs[index];
  const ArgumentLayout& layout = run.layouts->inputs[index];
  if (binding.omitted) return ArgumentPlace{};
  NNVK_ASSIGN(ArgumentPlace place, direct_place(binding, layout, preferences_.inputs[index].alignment, false, run));
  if (!place.is_omitted()) return place;
  NNVK_TRY(stand_in_for(run));
  const auto bytes = known_bytes(binding).first(layout.size);
  std::ranges::copy(bytes, run.stand_in_bytes(layout));
  bytes_copied_in_ += layout.size;
  NNVK_ASSIGN(place.range, run.stand_in->range(layout.offset, layout.size));
  return place;
}

Result<ArgumentPlace> PluginPlan::place_output(Run& run, size_t index) {
  const Binding& binding = run.owned.request.outputs[index];
  const ArgumentLayout& layout = run.layouts->outputs[index];
  NNVK_ASSIGN(ArgumentPlace place, direct_place(binding, layout, preferences_.outputs[index].alignment, true, run));
  run.is_direct[index] = !place.is_omitted();
  if (run.is_direct[index]) return place;
  NNVK_TRY(stand_in_for(run));
  // If all dimensions are known, NNAPI requires a range of exactly their bytes.
  NNVK_ASSIGN(place.range, run.stand_in->range(layout.offset, layout.is_exact && layout.size > 0 ? layout.size : layout.room));
  return place;
}

Status PluginPlan::stand_in_for(Run& run) {
  if (run.stand_in != nullptr) return {};
  if (run.layouts == &run.shapes->layouts) {
    const std::lock_guard lock(run.shapes->mutex);
    if (!run.shapes->free.empty()) {
      run.stand_in = std::move(run.shapes->free.back());
      run.shapes->free.pop_back();
      return {};
    }
  }
  NNVK_ASSIGN(run.stand_in, SharedBuffer::create(context_->driver, run.layouts->total));
  ++stand_in_allocations_;
  return {};
}

// Returns whether outputs were too small only because their sizes were unknown, while the client has enough room for them.
bool PluginPlan::needs_more_room(const Run& run, const ExecutionAnswer& answer) const {
  if (answer.code != Code::kOutputInsufficientSize || run.attempts >= kMostAttempts) return false;
  for (size_t i = 0; i < answer.outputs.size(); ++i) {
    if (answer.outputs[i].sufficient) continue;
    const auto size = byte_size(outputs_[i], answer.outputs[i].dimensions);
    const Binding& binding = run.owned.request.outputs[i];
    const bool has_room = size && (takes_any_size(binding) || available_bytes(binding) >= *size);
    if (run.layouts->outputs[i].is_exact || !has_room) return false;
  }
  return true;
}

void PluginPlan::take_answer(const std::shared_ptr<Run>& run, ExecutionAnswer answer) noexcept {
  bool goes_on = false;
  Status status = catch_out_of_memory([&] { return look_at(answer, run, goes_on); });
  if (!goes_on) finish(run, std::move(status));
}

// Evaluates the driver's answer. If an output needs more room, sends the run again and sets `goes_on`.
Status PluginPlan::look_at(ExecutionAnswer& answer, const std::shared_ptr<Run>& run, bool& goes_on) {
  Status status = check_answer(answer, outputs_, run->request.outputs);
  if (!status && needs_more_room(*run, answer)) {
    std::vector<uint64_t> rooms;
    for (size_t i = 0; i < answer.outputs.size(); ++i) {
      const auto size = byte_size(outputs_[i], answer.outputs[i].dimensions);
      rooms.push_back(std::max(size.value_or(0), run->layouts->outputs[i].room));
    }
    run->stand_in = nullptr;
    run->own_layouts = lay_out_arguments(*plan_, run->shapes->resolution, preferences_, rooms);
    run->layouts = &run->own_layouts;
    status = catch_out_of_memory([&] { return send(run); });
    goes_on = status.has_value();
    return status;
  }
  if (status || status.error().code == Code::kOutputInsufficientSize) {
    if (Status absorbed = absorb(*run, answer); !absorbed) status = std::move(absorbed);
  }
  return status;
}

// Writes shapes into the report, and copies bytes to the client's memory.
Status PluginPlan::absorb(Run& run, ExecutionAnswer& answer) {
  Status result;
  for (size_t i = 0; i < answer.outputs.size(); ++i) {
    OutputReport& report = run.report->outputs.emplace_back();
    if (answer.code != Code::kNoError) {
      report.shape = computed_shape(answer.outputs[i].dimensions, plan_->tensors[plan_->outputs[i]].info, false);
      report.sufficient = answer.outputs[i].sufficient;
      continue;
    }
    Status delivered = deliver_output(run, i, answer.outputs[i], report);
    if (!delivered && delivered.error().code != Code::kOutputInsufficientSize) return delivered;
    if (!delivered && result) result = std::move(delivered);
  }
  run.report->hardware_nanoseconds = answer.hardware_nanoseconds;
  run.report->driver_nanoseconds = answer.driver_nanoseconds;
  return result;
}

Status PluginPlan::deliver_output(Run& run, size_t index, const OutputAnswer& answer, OutputReport& report) {
  const TensorId id = plan_->outputs[index];
  const Resolution& resolution = run.shapes->resolution;
  OperandInfo agreed = resolution.infos[id];
  if (resolution.data_dependent[id] != nullptr) agreed.shape = *resolution.data_dependent[id];
  NNVK_ASSIGN(const SettledOutput output, settle_output(index, agreed, computed_shape(answer.dimensions, agreed, true)));
  report.shape = output.shape;
  const Binding& binding = run.owned.request.outputs[index];
  Status room = check_room(index, binding, output);
  report.sufficient = room.has_value();
  if (dynamic_cast<const DriverMemory*>(binding.device_memory) != nullptr) return room;
  const bool grows = binding.device_memory != nullptr && binding.device_memory->grows();
  if (!room && !grows) return room;
  report.sufficient = true;
  const std::byte* const computed = run.is_direct[index] ? binding.data : run.stand_in_bytes(run.layouts->outputs[index]);
  if (binding.device_memory == nullptr) {
    bytes_copied_out_ += deliver(binding, output, computed);
    return {};
  }
  if (binding.omitted || (run.is_direct[index] && !output.is_zeros)) return {};
  const std::vector<std::byte> zeros(output.is_zeros ? output.size : 0);
  const auto written =
      binding.device_memory->write_to(binding.device_offset, output.is_zeros ? zeros : std::span(computed, output.size));
  bytes_copied_out_ += output.size;
  return written ? written->result() : fail(written.error());
}

// Runs on the host, because NNAPI cannot express empty inputs; such executions are small.
Status PluginPlan::run_on_host(Run& run) {
  ++on_host_;
  const Request& client = run.owned.request;
  std::vector<std::span<const std::byte>> inputs;
  for (size_t i = 0; i < client.inputs.size(); ++i) {
    if (known_bytes(client.inputs[i]).size() < run.shapes->layouts.inputs[i].size) {
      return fail(Code::kOpFailed, "an input beside an empty one lies where the host does not see it");
    }
    inputs.push_back(client.inputs[i].omitted ? std::span<const std::byte>()
                                              : known_bytes(client.inputs[i]).first(run.shapes->layouts.inputs[i].size));
  }
  const Resolution& resolution = run.shapes->resolution;
  NNVK_ASSIGN(const auto results, evaluate_on_host(*plan_, resolution, inputs, context_->evaluator));
  Status status;
  for (size_t i = 0; i < results.size(); ++i) {
    const OperandInfo& info = resolution.infos[plan_->outputs[i]];
    OperandInfo agreed = plan_->tensors[plan_->outputs[i]].info;
    if (const auto merged = merge_shapes(agreed.shape, client.outputs[i].shape)) agreed.shape = *merged;
    NNVK_ASSIGN(const SettledOutput output, settle_output(i, agreed, info.shape));
    OutputReport& report = run.report->outputs.emplace_back();
    report.shape = output.shape;
    const Binding& binding = client.outputs[i];
    if (binding.device_memory != nullptr) {
      NNVK_ASSIGN(const Fence written, binding.device_memory->write_to(binding.device_offset, results[i]));
      NNVK_TRY(written.wait());
      continue;
    }
    Status room = check_room(i, binding, output);
    report.sufficient = room.has_value();
    if (room) bytes_copied_out_ += deliver(binding, output, results[i].data());
    if (!room && status) status = std::move(room);
  }
  return status;
}

void PluginPlan::finish(const std::shared_ptr<Run>& run, Status result) noexcept {
  ExecutionReport& report = *run->report;
  const Request& client = run->owned.request;
  if (!client.measure_timing) report.hardware_nanoseconds = report.driver_nanoseconds = kNoDuration;
  if (client.profile && result) {
    result = catch_out_of_memory([&] { profile(*run, nanoseconds_since(run->started), report); });
  }
  if (!result && result.error().code != Code::kOutputInsufficientSize) report.outputs.clear();
  report.result = std::move(result);
  if (run->stand_in != nullptr && run->layouts == &run->shapes->layouts) {
    const std::lock_guard lock(run->shapes->mutex);
    static_cast<void>(catch_out_of_memory([&] { run->shapes->free.push_back(std::move(run->stand_in)); }));
  }
  run->stand_in = nullptr;
  run->kept.clear();
  run->compilation = nullptr;
  run->owned.clear();
  ++executions_;
  running_.leave();  // from here on the plan may be gone: another thread or a callback of the fence `done` may free it
  run->done.settle(report.result);
}

// Divides the time of a model among its nodes, because drivers report only the time of a whole model. Each node gets a share in
// proportion to its estimated work.
void PluginPlan::profile(const Run& run, uint64_t nanoseconds, ExecutionReport& report) const {
  std::vector<Work> works;
  double total = 0;
  const auto weight = [](const Work& work) { return 1.0 + static_cast<double>(work.multiply_adds + work.elements); };
  for (const PlanNode& node : plan_->nodes) {
    const NodeView view = run.shapes->resolution.view(node);
    works.push_back(node.extension ? Work{} : estimate_work(view.view()));
    total += weight(works.back());
  }
  for (size_t n = 0; n < plan_->nodes.size(); ++n) {
    const PlanNode& node = plan_->nodes[n];
    NodeProfile& entry = report.profile.emplace_back();
    entry.source_operation = node.source_operation;
    entry.operation = plan_->place_of(node).name;
    entry.kernel = "plugin (share of the whole)";
    entry.nanoseconds = static_cast<uint64_t>(static_cast<double>(nanoseconds) * weight(works[n]) / total);
    entry.bytes = works[n].bytes;
    entry.multiply_adds = works[n].multiply_adds;
  }
}

Counters PluginPlan::counters() const {
  return {{"executions", executions_},           {"compilations", compilations_},
          {"bytes_copied_in", bytes_copied_in_}, {"bytes_copied_out", bytes_copied_out_},
          {"bytes_copied_internal", 0},          {"device_allocations", stand_in_allocations_},
          {"executions_on_host", on_host_},      {"pipelines_created", 0},
          {"command_buffers_recorded", 0},       {"descriptor_sets_written", 0}};
}

}  // namespace nnvk::accelerators
