// Preparation of plans in segments, and the prepared plan that starts their runs.
#include "core/runtime/segmented_plan.h"

#include <algorithm>
#include <utility>

#include "core/plan/segments.h"
#include "core/runtime/segmented_run.h"

namespace nnvk {
namespace {

class SegmentedPlan final : public PreparedPlan {
 public:
  explicit SegmentedPlan(std::shared_ptr<SegmentedState> state) : state_(std::move(state)) {}
  ~SegmentedPlan() override {
    std::unique_lock lock(state_->mutex);
    state_->idle.wait(lock, [this] { return state_->running == 0; });
  }

  Result<Submission> submit(const Request& request) override {
    auto run = std::make_shared<SegmentedRun>(state_, request);
    {
      const std::lock_guard lock(state_->mutex);
      ++state_->running;
    }
    run->start();
    return run->submission();
  }

  Counters counters() const override {
    Counters total;
    const auto add = [&](const std::unique_ptr<PreparedPlan>& plan) {
      if (plan == nullptr) return;
      for (const auto& [name, count] : plan->counters()) total[name] += count;
    };
    for (const PreparedSegment& segment : state_->segments) {
      add(segment.first);
      add(segment.second);
    }
    total["executions"] = state_->executions;
    return total;
  }

 private:
  std::shared_ptr<SegmentedState> state_;
};

bool all_known(const Plan& plan, const std::vector<TensorId>& tensors) {
  return std::all_of(tensors.begin(), tensors.end(), [&](TensorId id) { return plan.tensors[id].info.shape.fully_known(); });
}

// Outputs that only the device needs again. Models that run in segments themselves write host memory.
std::vector<bool> outputs_that_may_stay(const Segment& segment, const std::vector<bool>& read_by_host) {
  const auto& writers = {segment.plan, segment.kind == Segment::Kind::kIf ? segment.first : nullptr, segment.second};
  const bool whole = std::all_of(writers.begin(), writers.end(), [](const auto& p) { return p == nullptr || !needs_segments(*p); });
  const bool is_loop = segment.kind == Segment::Kind::kWhile;
  std::vector<bool> may_stay(is_loop ? segment.second->outputs.size() : segment.outputs.size(), whole);
  if (is_loop) {
    const std::vector<bool> by_condition = inputs_read_by_host(*segment.first);
    const std::vector<bool> by_body = inputs_read_by_host(*segment.second);
    for (size_t i = 0; i < may_stay.size(); ++i) may_stay[i] = whole && !by_condition[i] && !by_body[i];
  }
  for (size_t i = 0; i < segment.outputs.size(); ++i) may_stay[i] = may_stay[i] && !read_by_host[segment.outputs[i]];
  return may_stay;
}

Result<PreparedSegment> prepare_segment(Device& device, const Plan& plan, Segment segment, const PrepareOptions& options,
                                        const HostEvaluator& evaluator) {
  PreparedSegment prepared;
  if (segment.kind == Segment::Kind::kStraight) {
    NNVK_ASSIGN(prepared.first, prepare_plan(device, simplify(segment.plan, evaluator), options, evaluator));
  } else {
    const std::string place = plan.describe(plan.nodes[segment.node]);
    auto first = prepare_plan(device, simplify(segment.first, evaluator), options, evaluator);
    if (!first) return fail(first.error().at(place));
    auto second = prepare_plan(device, simplify(segment.second, evaluator), options, evaluator);
    if (!second) return fail(second.error().at(place));
    prepared.first = std::move(*first);
    prepared.second = std::move(*second);
    prepared.sizes_known = all_known(plan, segment.inputs) && all_known(plan, segment.outputs) &&
                           all_known(*segment.first, segment.first->inputs) && all_known(*segment.second, segment.second->inputs) &&
                           all_known(*segment.second, segment.second->outputs);
  }
  prepared.segment = std::move(segment);
  return prepared;
}

}  // namespace

Result<std::unique_ptr<PreparedPlan>> prepare_plan(Device& device, const PlanPointer& plan, const PrepareOptions& options,
                                                   const HostEvaluator& evaluator) {
  if (!needs_segments(*plan)) return device.prepare(plan, options);
  auto state = std::make_shared<SegmentedState>();
  state->plan = plan;
  state->read_later.resize(plan->tensors.size());
  state->device_memory = std::make_unique<DeviceMemoryPool>(device);
  std::vector<Segment> segments = cut_into_segments(*plan);
  std::vector<bool> read_by_host(plan->tensors.size());
  for (const Segment& segment : segments) {
    for (const TensorId id : tensors_read_by_host(segment)) read_by_host[id] = true;
  }
  for (Segment& segment : segments) {
    const std::vector<bool> may_stay = outputs_that_may_stay(segment, read_by_host);
    for (const TensorId id : segment.inputs) state->read_later[id] = true;
    if (segment.condition != kNoTensor) state->read_later[segment.condition] = true;
    NNVK_ASSIGN(PreparedSegment prepared, prepare_segment(device, *plan, std::move(segment), options, evaluator));
    prepared.may_stay_on_device = may_stay;
    state->segments.push_back(std::move(prepared));
  }
  return std::unique_ptr<PreparedPlan>(std::make_unique<SegmentedPlan>(std::move(state)));
}

}  // namespace nnvk
