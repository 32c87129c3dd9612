// Nodes are taken in running order; a segment ends where the next node needs something that only the host can provide.
#include "core/plan/segments.h"

#include <algorithm>

#include "core/plan/resolve.h"

namespace nnvk {
namespace {

bool is_control_flow(OperationCode code) { return code == OperationCode::kIf || code == OperationCode::kWhile; }

// For every tensor, the index of the last group of nodes that reads it; the plan's own outputs are read at the very end.
class Groups {
 public:
  explicit Groups(const Plan& plan) : plan_(plan) {
    std::vector<bool> open_size(plan.tensors.size());  // written in the current group with a size that depends on data
    for (size_t n = 0; n < plan.nodes.size(); ++n) {
      const PlanNode& node = plan.nodes[n];
      const bool reads_open_size =
          std::any_of(node.inputs.begin(), node.inputs.end(), [&](TensorId id) { return open_size[id]; });
      if (is_control_flow(node.code) || reads_open_size) {
        begin_group();
        std::fill(open_size.begin(), open_size.end(), false);
      }
      groups_.back().push_back(n);
      if (is_control_flow(node.code)) begin_group();
      if (!has_data_dependent_shapes(node.code)) continue;
      for (const TensorId id : node.outputs) open_size[id] = true;
    }
    if (groups_.back().empty()) groups_.pop_back();
    find_readers();
  }

  size_t count() const { return groups_.size(); }
  const std::vector<size_t>& nodes(size_t group) const { return groups_[group]; }
  bool is_read_after(TensorId tensor, size_t group) const { return last_reader_[tensor] > group; }
  bool is_written_in(TensorId tensor, size_t group) const { return writer_[tensor] == group; }

 private:
  void begin_group() {
    if (!groups_.back().empty()) groups_.emplace_back();
  }
  void find_readers() {
    writer_.assign(plan_.tensors.size(), SIZE_MAX);
    last_reader_.assign(plan_.tensors.size(), 0);
    for (size_t g = 0; g < groups_.size(); ++g) {
      for (const size_t n : groups_[g]) {
        for (const TensorId id : plan_.nodes[n].inputs) last_reader_[id] = g;
        for (const TensorId id : plan_.nodes[n].outputs) writer_[id] = g;
      }
    }
  }

  const Plan& plan_;
  std::vector<std::vector<size_t>> groups_{{}};
  std::vector<size_t> writer_;
  std::vector<size_t> last_reader_;
};

Segment control_flow_segment(const Plan& plan, size_t index) {
  const PlanNode& node = plan.nodes[index];
  const auto model = [&](size_t input) { return plan.subgraphs[plan.tensors[node.inputs[input]].subgraph]; };
  Segment segment;
  segment.node = static_cast<uint32_t>(index);
  segment.outputs = node.outputs;
  if (node.code == OperationCode::kIf) {
    segment.kind = Segment::Kind::kIf;
    segment.condition = node.inputs[0];
    segment.first = model(1);
    segment.second = model(2);
    segment.inputs.assign(node.inputs.begin() + 3, node.inputs.end());
  } else {
    segment.kind = Segment::Kind::kWhile;
    segment.first = model(0);
    segment.second = model(1);
    segment.inputs.assign(node.inputs.begin() + 2, node.inputs.end());
  }
  return segment;
}

// The nodes of one group as a plan of their own, with only the tensors they touch.
Segment straight_segment(const Plan& plan, const Groups& groups, size_t group) {
  Segment segment;
  auto part = std::make_shared<Plan>();
  part->relaxed = plan.relaxed;
  std::vector<TensorId> renamed(plan.tensors.size(), kNoTensor);
  const auto take = [&](TensorId id) {
    if (renamed[id] != kNoTensor) return renamed[id];
    renamed[id] = static_cast<TensorId>(part->tensors.size());
    PlanTensor tensor = plan.tensors[id];
    if (tensor.role != TensorRole::kConstant && tensor.role != TensorRole::kOmitted) {
      if (!groups.is_written_in(id, group)) {
        tensor.role = TensorRole::kInput;
        tensor.io_index = static_cast<uint32_t>(segment.inputs.size());
        part->inputs.push_back(renamed[id]);
        segment.inputs.push_back(id);
      } else if (tensor.role == TensorRole::kOutput || groups.is_read_after(id, group)) {
        tensor.role = TensorRole::kOutput;
        tensor.io_index = static_cast<uint32_t>(segment.outputs.size());
        part->outputs.push_back(renamed[id]);
        segment.outputs.push_back(id);
      }
    }
    part->tensors.push_back(std::move(tensor));
    return renamed[id];
  };
  for (const size_t n : groups.nodes(group)) {
    PlanNode node = plan.nodes[n];
    for (TensorId& id : node.inputs) id = take(id);
    for (TensorId& id : node.outputs) id = take(id);
    part->nodes.push_back(std::move(node));
  }
  segment.plan = std::move(part);
  return segment;
}

}  // namespace

bool needs_segments(const Plan& plan) {
  const Groups groups(plan);
  if (groups.count() > 1) return true;
  return std::any_of(plan.nodes.begin(), plan.nodes.end(), [](const PlanNode& node) { return is_control_flow(node.code); });
}

std::vector<bool> inputs_read_by_host(const Plan& plan) {
  std::vector<bool> read = parameter_inputs(plan);
  const auto mark = [&](TensorId id) {
    const PlanTensor& tensor = plan.tensors[id];
    if (tensor.role == TensorRole::kInput) read[tensor.io_index] = true;
  };
  // What the host needs of a later segment's inputs matters only if it is an input of the plan as well.
  for (const Segment& segment : needs_segments(plan) ? cut_into_segments(plan) : std::vector<Segment>()) {
    for (const TensorId id : tensors_read_by_host(segment)) mark(id);
  }
  return read;
}

std::vector<TensorId> tensors_read_by_host(const Segment& segment) {
  std::vector<TensorId> tensors;
  const auto add = [&](const Plan& plan) {
    const std::vector<bool> read = inputs_read_by_host(plan);
    for (size_t i = 0; i < read.size() && i < segment.inputs.size(); ++i) {
      if (read[i]) tensors.push_back(segment.inputs[i]);
    }
  };
  if (segment.condition != kNoTensor) tensors.push_back(segment.condition);
  for (const auto& plan : {segment.plan, segment.first, segment.second}) {
    if (plan != nullptr) add(*plan);
  }
  return tensors;
}

std::vector<Segment> cut_into_segments(const Plan& plan) {
  const Groups groups(plan);
  std::vector<Segment> segments;
  for (size_t g = 0; g < groups.count(); ++g) {
    const size_t first = groups.nodes(g).front();
    segments.push_back(is_control_flow(plan.nodes[first].code) ? control_flow_segment(plan, first)
                                                               : straight_segment(plan, groups, g));
  }
  return segments;
}

}  // namespace nnvk
