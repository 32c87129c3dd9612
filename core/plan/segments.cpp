// Takes the nodes of each step from queues of ready nodes. A step ends before a node that needs a result of the host.
#include "core/plan/segments.h"

#include <algorithm>
#include <functional>
#include <queue>
#include <set>
#include <tuple>

#include "core/operations/control_flow_operands.h"
#include "core/operations/operation_enumerators.h"
#include "core/plan/plan_uses.h"
#include "core/plan/resolve.h"

namespace nnvk {
namespace {

// Returns the nodes of a plan whose inputs are ready, device by device, and for each device in the order of the plan.
class ReadyNodes {
 public:
  ReadyNodes(const Plan& plan, std::span<const size_t> device_of) : plan_(plan), device_of_(device_of) {
    const PlanUses uses = find_uses(plan);
    missing_.resize(plan.nodes.size());
    readers_.resize(plan.nodes.size());
    for (uint32_t n = 0; n < plan.nodes.size(); ++n) {
      const auto depend_on = [&](TensorId id) {
        const uint32_t producer = uses.producer[id];
        if (producer == kNoNode) return;
        readers_[producer].push_back(n);
        ++missing_[n];
      };
      for (const TensorId id : plan.nodes[n].inputs) depend_on(id);
      if (plan.nodes[n].residual != kNoTensor) depend_on(plan.nodes[n].residual);
    }
    for (uint32_t n = 0; n < plan.nodes.size(); ++n) {
      if (missing_[n] == 0) enqueue(n);
    }
  }

  // Returns the next node of `device`, or kNoNode. Nodes that needed this one may become ready.
  uint32_t take(size_t device) {
    auto& queue = ready_[device];
    if (queue.empty()) return kNoNode;
    const uint32_t node = queue.top();
    queue.pop();
    for (const uint32_t reader : readers_[node]) {
      if (--missing_[reader] == 0) enqueue(reader);
    }
    return node;
  }
  size_t queues() const { return ready_.size(); }
  size_t device_of(uint32_t node) const { return device_of_.empty() ? 0 : device_of_[node]; }

  static constexpr size_t kControlFlow = 0;  // a separate queue; the devices' queues follow it
  size_t queue_of(uint32_t node) const { return is_control_flow(plan_.nodes[node].code) ? kControlFlow : device_of(node) + 1; }

 private:
  using Queue = std::priority_queue<uint32_t, std::vector<uint32_t>, std::greater<>>;

  void enqueue(uint32_t node) {
    const size_t queue = queue_of(node);
    if (queue >= ready_.size()) ready_.resize(queue + 1);
    ready_[queue].push(node);
  }

  const Plan& plan_;
  std::span<const size_t> device_of_;
  std::vector<uint32_t> missing_;               // inputs that are not computed yet
  std::vector<std::vector<uint32_t>> readers_;  // per node, once per input
  std::vector<Queue> ready_ = std::vector<Queue>(1);
};

Segment control_flow_segment(const Plan& plan, size_t index) {
  const PlanNode& node = plan.nodes[index];
  const auto model = [&](size_t input) { return plan.subgraphs[plan.tensors[node.inputs[input]].subgraph]; };
  Segment segment;
  segment.node = static_cast<uint32_t>(index);
  segment.outputs = node.outputs;
  if (node.code == OperationCode::kIf) {
    segment.kind = Segment::Kind::kIf;
    segment.condition = node.inputs[if_operation::kCondition];
    segment.first = model(if_operation::kThenModel);
    segment.second = model(if_operation::kElseModel);
    segment.inputs.assign(node.inputs.begin() + if_operation::kFirstValue, node.inputs.end());
  } else {
    segment.kind = Segment::Kind::kWhile;
    segment.first = model(while_operation::kConditionModel);
    segment.second = model(while_operation::kBodyModel);
    segment.inputs.assign(node.inputs.begin() + while_operation::kFirstValue, node.inputs.end());
  }
  return segment;
}

// Returns, per tensor of the plan, how many readers it has outside the step: node inputs, and the output of the plan.
std::vector<uint32_t> readers_outside(const Plan& plan, std::span<const uint32_t> nodes) {
  std::vector<uint32_t> readers = find_uses(plan).readers;
  for (const uint32_t n : nodes) {
    for (const TensorId id : plan.nodes[n].inputs) --readers[id];
    if (plan.nodes[n].residual != kNoTensor) --readers[plan.nodes[n].residual];
  }
  return readers;
}

}  // namespace

bool is_control_flow(OperationCode code) { return code == OperationCode::kIf || code == OperationCode::kWhile; }

std::vector<Step> order_into_steps(const Plan& plan, std::span<const size_t> device_of) {
  ReadyNodes ready(plan, device_of);
  std::vector<Step> steps;
  std::set<TensorId> open_sizes;  // written in the current step with a size that depends on data
  const auto begin_step = [&](uint32_t first) {
    steps.push_back({ready.device_of(first), {}});
    open_sizes.clear();
  };
  // Control flow runs first, then the devices from the last to the first.
  const auto next_queue = [&]() -> std::pair<size_t, uint32_t> {
    if (const uint32_t node = ready.take(ReadyNodes::kControlFlow); node != kNoNode) return {ReadyNodes::kControlFlow, node};
    for (size_t queue = ready.queues(); queue-- > 1;) {
      if (const uint32_t node = ready.take(queue); node != kNoNode) return {queue, node};
    }
    return {0, kNoNode};
  };
  for (auto [queue, node] = next_queue(); node != kNoNode; std::tie(queue, node) = next_queue()) {
    begin_step(node);
    for (; node != kNoNode; node = queue == ReadyNodes::kControlFlow ? kNoNode : ready.take(queue)) {
      const PlanNode& taken = plan.nodes[node];
      if (std::any_of(taken.inputs.begin(), taken.inputs.end(), [&](TensorId id) { return open_sizes.contains(id); })) {
        begin_step(node);
      }
      steps.back().nodes.push_back(node);
      if (has_data_dependent_shapes(taken.code)) open_sizes.insert(taken.outputs.begin(), taken.outputs.end());
    }
  }
  return steps;
}

Segment extract_step(const Plan& plan, std::span<const uint32_t> nodes) {
  const std::vector<uint32_t> outside = readers_outside(plan, nodes);
  std::vector<bool> written(plan.tensors.size());
  for (const uint32_t n : nodes) {
    for (const TensorId id : plan.nodes[n].outputs) written[id] = true;
  }
  auto part = std::make_shared<Plan>();
  part->relaxed = plan.relaxed;
  std::vector<TensorId> renamed(plan.tensors.size(), kNoTensor);
  std::vector<TensorId> inputs;
  std::vector<TensorId> outputs;
  const auto take = [&](TensorId id) {
    if (renamed[id] != kNoTensor) return renamed[id];
    renamed[id] = static_cast<TensorId>(part->tensors.size());
    const PlanTensor& tensor = plan.tensors[id];
    part->tensors.push_back(tensor);
    if (tensor.role == TensorRole::kConstant || tensor.role == TensorRole::kOmitted) return renamed[id];
    if (!written[id]) {
      inputs.push_back(id);
    } else if (outside[id] > 0) {
      outputs.push_back(id);
    }
    return renamed[id];
  };
  for (const uint32_t n : nodes) {
    PlanNode node = plan.nodes[n];
    for (TensorId& id : node.inputs) id = take(id);
    if (node.residual != kNoTensor) node.residual = take(node.residual);
    for (TensorId& id : node.outputs) id = take(id);
    part->nodes.push_back(std::move(node));
  }
  Segment step;
  // Makes `tensors` (ids in the whole plan) the part's inputs or outputs, sorted by the position of their role in `order`.
  const auto take_over = [&](std::vector<TensorId> tensors, TensorRole role, std::initializer_list<TensorRole> order) {
    const auto rank = [&](TensorId id) { return std::find(order.begin(), order.end(), plan.tensors[id].role) - order.begin(); };
    std::stable_sort(tensors.begin(), tensors.end(), [&](TensorId a, TensorId b) { return rank(a) < rank(b); });
    std::vector<TensorId>& list = role == TensorRole::kInput ? part->inputs : part->outputs;
    for (const TensorId id : tensors) {
      PlanTensor& tensor = part->tensors[renamed[id]];
      tensor.role = role;
      tensor.io_index = static_cast<uint32_t>(list.size());
      list.push_back(renamed[id]);
    }
    return tensors;
  };
  step.inputs =
      take_over(std::move(inputs), TensorRole::kInput, {TensorRole::kInput, TensorRole::kTemporary, TensorRole::kOutput});
  step.outputs = take_over(std::move(outputs), TensorRole::kOutput, {TensorRole::kOutput, TensorRole::kTemporary});
  step.plan = std::move(part);
  return step;
}

bool needs_segments(const Plan& plan) {
  if (std::ranges::any_of(plan.nodes, is_control_flow, &PlanNode::code)) return true;
  if (std::ranges::none_of(plan.nodes, has_data_dependent_shapes, &PlanNode::code)) return false;
  return order_into_steps(plan, {}).size() > 1;
}

std::vector<bool> inputs_read_by_host(const Plan& plan) {
  std::vector<bool> read = parameter_inputs(plan);
  const auto mark = [&](TensorId id) {
    const PlanTensor& tensor = plan.tensors[id];
    if (tensor.role == TensorRole::kInput) read[tensor.io_index] = true;
  };
  // The host also reads inputs of later segments; mark() ignores those that are no inputs of the plan.
  for (const Segment& segment : needs_segments(plan) ? cut_into_segments(plan) : std::vector<Segment>()) {
    for (const TensorId id : tensors_read_by_host(segment)) mark(id);
  }
  return read;
}

std::vector<TensorId> tensors_read_by_host(const Segment& segment) {
  std::vector<TensorId> tensors;
  if (segment.condition != kNoTensor) tensors.push_back(segment.condition);
  for (const auto& plan : {segment.plan, segment.first, segment.second}) {
    if (plan == nullptr) continue;
    const std::vector<bool> read = inputs_read_by_host(*plan);
    for (size_t i = 0; i < read.size() && i < segment.inputs.size(); ++i) {
      if (read[i]) tensors.push_back(segment.inputs[i]);
    }
  }
  return tensors;
}

std::vector<Segment> cut_into_segments(const Plan& plan, std::span<const size_t> device_of) {
  std::vector<Segment> segments;
  for (const Step& step : order_into_steps(plan, device_of)) {
    const uint32_t first = step.nodes.front();
    const bool is_control = is_control_flow(plan.nodes[first].code);
    segments.push_back(is_control ? control_flow_segment(plan, first) : extract_step(plan, step.nodes));
    segments.back().device = step.device;
  }
  return segments;
}

}  // namespace nnvk
