#include "cpu_fallback/byte_functions.h"

#include <algorithm>
#include <map>
#include <optional>
#include <set>

#include "core/operations/operation_enumerators.h"
#include "cpu_fallback/node_runner.h"
#include "cpu_fallback/plan_readers.h"

namespace nnvk::cpu {
namespace {

constexpr uint32_t kBytes = 256;

bool is_element_wise(OperationCode code) {
  using enum OperationCode;
  constexpr OperationCode kElementWise[] = {kAbs,      kAdd,     kDequantize, kDiv,   kExp,  kFloor, kHardSwish, kLog,
                                            kLogistic, kMaximum, kMinimum,    kMul,   kNeg,  kPow,   kPrelu,     kQuantize,
                                            kRelu,     kRelu1,   kRelu6,      kRsqrt, kSqrt, kSub,   kTanh};
  return std::ranges::find(kElementWise, code) != std::end(kElementWise);
}

class Search {
 public:
  Search(const Plan& plan, const Resolution& resolution, std::span<const size_t> nodes)
      : plan_(plan), resolution_(resolution), nodes_(nodes), readers_(plan, nodes) {}

  std::vector<ByteFunction> run() {
    std::vector<ByteFunction> found;
    for (const size_t n : nodes_) {
      for (const TensorId source : plan_.nodes[n].inputs) {
        // A group begins with a node that belongs to it: most nodes, products among them, need no search.
        if (is_taken(n) || !is_byte_tensor(source) || !belongs(plan_.nodes[n], {source}, info(source).shape)) continue;
        if (auto function = function_of(source)) {
          taken_.insert(function->nodes.begin(), function->nodes.end());
          found.push_back(*std::move(function));
        }
      }
    }
    return found;
  }

 private:
  bool is_taken(size_t n) const { return taken_.contains(n); }
  bool is_known(TensorId id) const { return resolution_.host_values[id].data() != nullptr; }
  const OperandInfo& info(TensorId id) const { return resolution_.infos[id]; }

  bool is_byte_tensor(TensorId id) const {
    return resolution_.present[id] && !is_known(id) && is_quant8_asymm(info(id).type) && info(id).shape.element_count() > 0;
  }

  // Returns whether the node computes each element from the same elements of `sources` alone.
  bool belongs(const PlanNode& node, const std::set<TensorId>& sources, const Shape& shape) const {
    if (!is_element_wise(node.code) || node.residual != kNoTensor || node.outputs.size() != 1) return false;
    if (info(node.outputs[kFirstOutput]).shape != shape) return false;
    bool reads_one = false;
    for (const TensorId id : node.inputs) {
      if (!resolution_.present[id]) return false;
      if (sources.contains(id)) {
        reads_one = true;
      } else if (!is_known(id) || (info(id).is_tensor() && info(id).shape.element_count() != 1)) {
        return false;
      }
    }
    return reads_one;
  }

  // Finds the nodes that compute one byte tensor from `source` alone, element by element; as many nodes as possible. Returns
  // nullopt if there are fewer than two.
  std::optional<ByteFunction> function_of(TensorId source) const {
    std::set<TensorId> followers{source};
    std::vector<size_t> group;
    for (const size_t n : nodes_) {
      if (is_taken(n) || !belongs(plan_.nodes[n], followers, info(source).shape)) continue;
      group.push_back(n);
      followers.insert(plan_.nodes[n].outputs[kFirstOutput]);
    }
    while (group.size() > 1) {
      const TensorId result = plan_.nodes[group.back()].outputs[kFirstOutput];
      if (is_byte_tensor(result)) {
        ByteFunction function{.nodes = needed_for(result, group), .source = source, .result = result};
        if (function.nodes.size() > 1 && is_closed(function) && compute(function)) return function;
      }
      group.pop_back();
    }
    return std::nullopt;
  }

  std::vector<size_t> needed_for(TensorId result, const std::vector<size_t>& group) const {
    std::set<TensorId> wanted{result};
    std::vector<size_t> needed;
    for (auto n = group.rbegin(); n != group.rend(); ++n) {
      const PlanNode& node = plan_.nodes[*n];
      if (!wanted.contains(node.outputs[kFirstOutput])) continue;
      wanted.insert(node.inputs.begin(), node.inputs.end());
      needed.push_back(*n);
    }
    std::ranges::reverse(needed);
    return needed;
  }

  // Returns whether only the group reads its own values, except its result.
  bool is_closed(const ByteFunction& function) const {
    return std::ranges::all_of(function.nodes, [&](size_t n) {
      const TensorId id = plan_.nodes[n].outputs[kFirstOutput];
      return id == function.result || readers_.are_only(function.nodes, id);
    });
  }

  // Runs the group's reference kernels on all bytes.
  bool compute(ByteFunction& function) const {
    std::map<TensorId, OperandInfo> infos;
    std::map<TensorId, std::vector<std::byte>> values;
    const auto add = [&](TensorId id) -> std::vector<std::byte>& {
      OperandInfo& known = infos.insert_or_assign(id, info(id)).first->second;
      known.shape = Shape({kBytes});
      return values.insert_or_assign(id, std::vector<std::byte>(known.byte_size().value_or(0))).first->second;
    };
    std::vector<std::byte>& source = add(function.source);
    for (size_t i = 0; i < source.size(); ++i) source[i] = static_cast<std::byte>(i);
    for (const size_t n : function.nodes) {
      const PlanNode& node = plan_.nodes[n];
      std::vector<std::byte>& result = add(node.outputs[kFirstOutput]);
      NodeView view = resolution_.view(node);
      for (size_t i = 0; i < node.inputs.size(); ++i) {
        if (const auto found = values.find(node.inputs[i]); found != values.end()) {
          view.inputs[i].info = &infos.at(node.inputs[i]);
          view.inputs[i].value = found->second;
        }
      }
      view.outputs = {&infos.at(node.outputs[kFirstOutput])};
      const auto operation = CheckedOperation::check(view.view());
      if (!operation) return false;
      OutputTensor output{infos.at(node.outputs[kFirstOutput]), result, true};
      if (!run_node(node, *operation, {&output, 1}, {})) return false;
    }
    const std::vector<std::byte>& result = values.at(function.result);
    std::ranges::transform(result, function.table.begin(), [](std::byte byte) { return static_cast<uint8_t>(byte); });
    return true;
  }

  const Plan& plan_;
  const Resolution& resolution_;
  const std::span<const size_t> nodes_;
  const PlanReaders readers_;
  std::set<size_t> taken_;
};

}  // namespace

std::vector<ByteFunction> find_byte_functions(const Plan& plan, const Resolution& resolution, std::span<const size_t> nodes) {
  return Search(plan, resolution, nodes).run();
}

}  // namespace nnvk::cpu
