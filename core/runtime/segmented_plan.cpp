// Prepares plans in segments, and implements the prepared plan that starts their runs.
#include "core/runtime/segmented_plan.h"

#include <algorithm>
#include <optional>
#include <utility>

#include "core/base/log.h"
#include "core/base/trace.h"
#include "core/plan/named_shapes.h"
#include "core/plan/segments.h"
#include "core/runtime/partition_log.h"
#include "core/runtime/segmented_run.h"
#include "core/runtime/shape_preparation.h"

namespace nnvk {
namespace {

class SegmentedPlan final : public PreparedPlan, public PreparesShapes {
 public:
  SegmentedPlan(std::shared_ptr<SegmentedState> state, const HostEvaluator& evaluator)
      : state_(std::move(state)), evaluator_(evaluator) {}
  ~SegmentedPlan() override { state_->running.wait_until_none(); }

  Result<Submission> submit(const Request& request) override {
    const auto on_device = [](const Binding& binding) { return binding.device_memory != nullptr; };
    if (std::any_of(request.inputs.begin(), request.inputs.end(), on_device) ||
        std::any_of(request.outputs.begin(), request.outputs.end(), on_device)) {
      return fail(Code::kBadData, "plans in steps bind no device memory");
    }
    auto run = std::make_shared<SegmentedRun>(*state_, request);
    state_->running.enter();
    run->start();
    return run->submission();
  }

  // Prepares the straight segments. It leaves out models of control flow, because a loop changes the shapes of its body.
  Status prepare_shapes(std::span<const Shape> inputs, const Deadline& deadline) override {
    const Plan& plan = *state_->plan;
    const auto bindings = named_bindings(plan, inputs);
    if (!bindings) return {};
    NNVK_ASSIGN(const Resolution resolution, resolve(plan, bindings->inputs, bindings->outputs, evaluator_));
    std::vector<bool> depends_on_data(plan.tensors.size());
    for (const PlanNode& node : plan.nodes) {
      const bool reads_such = std::ranges::any_of(node.inputs, [&](TensorId id) { return depends_on_data[id]; });
      for (const TensorId id : node.outputs) depends_on_data[id] = reads_such || resolution.data_dependent[id] != nullptr;
    }
    for (const PreparedSegment& prepared : state_->segments) {
      auto* const step = dynamic_cast<PreparesShapes*>(prepared.first.prepared.get());
      if (step == nullptr || prepared.segment.kind != Segment::Kind::kStraight) continue;
      std::vector<Shape> shapes;
      for (const TensorId id : prepared.segment.inputs) {
        shapes.push_back(depends_on_data[id] ? Shape::unknown_rank() : resolution.infos[id].shape);
      }
      NNVK_TRY(step->prepare_shapes(shapes, deadline));
    }
    return {};
  }

  Counters counters() const override {
    Counters total;
    const auto add = [&](const PreparedModel& model) {
      if (model.prepared == nullptr) return;
      for (const auto& [name, count] : model.prepared->counters()) total[name] += count;
    };
    for (const PreparedSegment& segment : state_->segments) {
      add(segment.first);
      add(segment.second);
    }
    total["executions"] = state_->executions;
    total["steps_run_again_on_cpu"] += state_->rescued;
    total["step_buffer_allocations"] += state_->buffers.allocations();
    total["bytes_copied_out"] += state_->bytes_copied_out;
    return total;
  }

 private:
  std::shared_ptr<SegmentedState> state_;
  const HostEvaluator evaluator_;
};

bool all_known(const Plan& plan, const std::vector<TensorId>& tensors) {
  return std::all_of(tensors.begin(), tensors.end(), [&](TensorId id) { return plan.tensors[id].info.shape.fully_known(); });
}

// Returns true if a model to which the segment refers runs in segments itself: its inputs and outputs are then in host memory.
bool refers_to_segments(const Segment& segment) {
  const auto is_cut = [](const PlanPointer& model) { return model != nullptr && needs_segments(*model); };
  return is_cut(segment.first) || is_cut(segment.second);
}

// The readers of each tensor of a plan in segments.
struct Readers {
  std::vector<bool> by_host;  // the host reads their values, or a segment takes them from host memory
  std::vector<bool> by_segment;
  std::vector<std::optional<size_t>> device;  // the only device that reads it; nullopt: none or several
};

Readers find_readers(const Plan& plan, const std::vector<Segment>& segments) {
  const size_t count = plan.tensors.size();
  Readers readers{std::vector<bool>(count), std::vector<bool>(count), std::vector<std::optional<size_t>>(count)};
  for (const Segment& segment : segments) {
    for (const TensorId id : tensors_read_by_host(segment)) readers.by_host[id] = true;
    const bool takes_host_memory = refers_to_segments(segment);
    for (const TensorId id : segment.inputs) {
      if (takes_host_memory) readers.by_host[id] = true;
      const bool is_first = !readers.by_segment[id];
      if (is_first || readers.device[id] != segment.device) {
        readers.device[id] = is_first ? std::optional(segment.device) : std::nullopt;
      }
      readers.by_segment[id] = true;
    }
    if (segment.condition != kNoTensor) readers.by_segment[segment.condition] = true;
  }
  return readers;
}

// Returns, per output of the segment, whether only its own device reads it; all false if several devices run the segment. In a
// loop, the condition and the body are readers too.
std::vector<bool> outputs_that_may_stay(const Segment& segment, const Readers& readers, bool on_one_device) {
  const bool whole = on_one_device && !refers_to_segments(segment);
  const bool is_loop = segment.kind == Segment::Kind::kWhile;
  std::vector<bool> may_stay(is_loop ? segment.second->outputs.size() : segment.outputs.size(), whole);
  if (is_loop) {
    const std::vector<bool> by_condition = inputs_read_by_host(*segment.first);
    const std::vector<bool> by_body = inputs_read_by_host(*segment.second);
    for (size_t i = 0; i < may_stay.size(); ++i) may_stay[i] = whole && !by_condition[i] && !by_body[i];
  }
  for (size_t i = 0; i < segment.outputs.size(); ++i) {
    const TensorId id = segment.outputs[i];
    const bool leaves_the_device = readers.by_segment[id] && readers.device[id] != segment.device;
    may_stay[i] = may_stay[i] && !readers.by_host[id] && !leaves_the_device;
  }
  return may_stay;
}

Result<std::unique_ptr<PreparedPlan>> prepare_on_one(Device& device, const PlanPointer& plan, const Preparation& preparation);
Result<std::unique_ptr<PreparedPlan>> prepare_cached(Device& device, const PlanPointer& plan, const Preparation& preparation,
                                                     bool is_whole);

class SegmentedPreparation {
 public:
  SegmentedPreparation(const Preparation& preparation, const PlanPointer& plan)
      : preparation_(preparation), plan_(plan), state_(std::make_shared<SegmentedState>(preparation.launches)) {
    state_->plan = plan;
    state_->priority = preparation.options.priority;
    state_->rescue = preparation.rescue;
  }

  // Prepares the segments. `device_of` is as in cut_into_segments().
  Status prepare(std::span<const size_t> device_of) {
    Status status = prepare_segments(device_of);
    const auto is_accelerator = [](const Device* device) { return device->info().type == DeviceType::kAccelerator; };
    state_->shares_memory = devices_.size() > 1 && std::ranges::any_of(devices_, is_accelerator);
    // If a part misses the deadline after another was prepared, compilation had begun: NNAPI's code is then the transient one.
    if (!status && has_begun_ && status.error().code == Code::kMissedDeadlinePersistent) {
      status.error().code = Code::kMissedDeadlineTransient;
    }
    return status;
  }

  const std::shared_ptr<SegmentedState>& state() const { return state_; }
  const std::vector<Device*>& devices() const { return devices_; }  // as in PreparedDeployment

 private:
  void use(Device* device) {
    if (std::find(devices_.begin(), devices_.end(), device) == devices_.end()) devices_.push_back(device);
  }

  Status prepare_segments(std::span<const size_t> device_of) {
    std::vector<Segment> segments = cut_into_segments(*plan_, device_of);
    const Readers readers = find_readers(*plan_, segments);
    state_->read_later = readers.by_segment;
    for (Segment& segment : segments) {
      PreparedSegment prepared;
      if (segment.device < preparation_.devices.size()) {
        prepared.device = preparation_.devices[segment.device];
        use(prepared.device);
      }
      prepared.may_stay_on_device = outputs_that_may_stay(segment, readers, prepared.device != nullptr);
      NNVK_TRY(prepare_models(segment, prepared));
      prepared.segment = std::move(segment);
      state_->segments.push_back(std::move(prepared));
    }
    return {};
  }

  Status prepare_models(const Segment& segment, PreparedSegment& prepared) {
    if (segment.kind == Segment::Kind::kStraight) {
      // Steps have their own cache if the plan consists of steps alone; models of control flow have none.
      prepared.first.straight = simplify(segment.plan, preparation_.evaluator);
      NNVK_ASSIGN(prepared.first.prepared, prepare_cached(*prepared.device, prepared.first.straight, preparation_, false));
      has_begun_ = true;
      return {};
    }
    const OperationPlace place = plan_->place_of(plan_->nodes[segment.node]);
    auto first = prepare_model(prepared.device, segment.first);
    if (!first) return fail(first.error().at(place));
    has_begun_ = true;
    auto second = prepare_model(prepared.device, segment.second);
    if (!second) return fail(second.error().at(place));
    prepared.first = std::move(*first);
    prepared.second = std::move(*second);
    prepared.times_every_condition = preparation_.times_every_condition && all_known(*plan_, segment.inputs) &&
                                     all_known(*plan_, segment.outputs) && all_known(*segment.first, segment.first->inputs) &&
                                     all_known(*segment.second, segment.second->inputs) &&
                                     all_known(*segment.second, segment.second->outputs);
    return {};
  }

  // Prepares `plan` on `device`; if that is null, distributes the plan over the devices.
  Result<PreparedModel> prepare_model(Device* device, const PlanPointer& plan) {
    PreparedModel model;
    if (device == nullptr) {
      Groundworks* const groundworks = preparation_.groundworks;
      NNVK_ASSIGN(const Deployment deployment,
                  groundworks != nullptr ? deploy(plan, preparation_.devices, *groundworks) : deploy(plan, preparation_.devices));
      NNVK_ASSIGN(PreparedDeployment distributed, prepare_deployment(deployment, preparation_));
      for (Device* used : distributed.devices) use(used);
      model.prepared = std::move(distributed.runner);
      return model;
    }
    const PlanPointer simple = simplify(plan, preparation_.evaluator);
    NNVK_ASSIGN(model.prepared, prepare_on_one(*device, simple, preparation_));
    if (!needs_segments(*simple)) model.straight = simple;
    return model;
  }

  const Preparation preparation_;
  PlanPointer plan_;
  std::shared_ptr<SegmentedState> state_;
  std::vector<Device*> devices_;
  bool has_begun_ = false;  // a part is compiled
};

// Prepares the whole `plan`, already simplified, on `device`.
Result<std::unique_ptr<PreparedPlan>> prepare_on_one(Device& device, const PlanPointer& plan, const Preparation& preparation) {
  if (!needs_segments(*plan)) {
    if (log_enabled(Detail::kDriver)) {
      const std::string count = std::to_string(plan->nodes.size());
      log_line(Detail::kDriver, "Manager", device.info().name + " prepares " + count + " operations");
    }
    PrepareOptions options = preparation.options;
    if (preparation.groundworks != nullptr) options.groundwork = preparation.groundworks->of(device);
    auto prepared = device.prepare(plan, options);
    if (!prepared) return fail(prepared.error().on_device(device.info().name));
    return prepared;
  }
  Device* const devices[] = {&device};
  Preparation on_device = preparation;
  on_device.devices = devices;
  on_device.cache_for = {};
  SegmentedPreparation parts(on_device, plan);
  NNVK_TRY(parts.prepare({}));
  return std::unique_ptr<PreparedPlan>(std::make_unique<SegmentedPlan>(parts.state(), preparation.evaluator));
}

// Does the same as prepare_on_one(), with the cache that Preparation::cache_for returns.
Result<std::unique_ptr<PreparedPlan>> prepare_cached(Device& device, const PlanPointer& plan, const Preparation& preparation,
                                                     bool is_whole) {
  const trace::Section section("[SUB][NN_LR_PC]compile for ", device.info().name);
  log_device_compilation(device, is_whole);
  const auto cache = preparation.cache_for ? preparation.cache_for(device, *plan, is_whole) : nullptr;
  if (cache == nullptr) return prepare_on_one(device, plan, preparation);
  Preparation with_cache = preparation;
  with_cache.options.cache = cache.get();
  NNVK_ASSIGN(auto prepared, prepare_on_one(device, plan, with_cache));
  cache->store();
  return prepared;
}

// Returns the indexes of the model's operations that nodes of `plan` compute.
std::vector<uint32_t> computed_operations(const Plan& plan) {
  std::vector<uint32_t> operations;
  for (const PlanNode& node : plan.nodes) {
    if (!node.is_view) operations.push_back(node.source_operation);
  }
  return operations;
}

// Sums up the partitions of a plan whose steps all run on one device.
Partition whole_partition(const Deployment& deployment) {
  Partition whole = deployment.partitions.front();
  for (size_t i = 1; i < deployment.partitions.size(); ++i) {
    const Partition& part = deployment.partitions[i];
    whole.nodes.insert(whole.nodes.end(), part.nodes.begin(), part.nodes.end());
    whole.predicted_seconds += part.predicted_seconds;
    whole.transfer_bytes += part.transfer_bytes;
    whole.transfer_seconds += part.transfer_seconds;
  }
  return whole;
}

}  // namespace

Result<PreparedDeployment> prepare_deployment(const Deployment& deployment, const Preparation& preparation) {
  PreparedDeployment ready;
  if (deployment.is_whole) {
    Device& device = *preparation.devices[deployment.partitions.front().device];
    const PlanPointer simple = simplify(deployment.plan, preparation.evaluator);
    ready.devices = {&device};
    NNVK_ASSIGN(ready.runner, prepare_cached(device, simple, preparation, true));
    ready.parts.push_back({&device, computed_operations(*simple), ready.runner.get(), whole_partition(deployment)});
    return ready;
  }
  SegmentedPreparation parts(preparation, deployment.plan);
  NNVK_TRY(parts.prepare(deployment.device_of));
  ready.devices = parts.devices();
  const std::vector<PreparedSegment>& segments = parts.state()->segments;
  for (size_t i = 0; i < segments.size(); ++i) {
    PlanPart& part = ready.parts.emplace_back();
    part.device = segments[i].device;
    part.partition = deployment.partitions[i];
    if (segments[i].segment.kind == Segment::Kind::kStraight) {
      part.prepared = segments[i].first.prepared.get();
      part.operations = computed_operations(*segments[i].first.straight);
    } else {
      part.operations = {deployment.plan->nodes[segments[i].segment.node].source_operation};
    }
  }
  ready.runner = std::make_unique<SegmentedPlan>(parts.state(), preparation.evaluator);
  return ready;
}

}  // namespace nnvk
