#include "vulkan/recording/node_emission.h"

#include <algorithm>
#include <utility>

#include "vulkan/kernels/gathered_inputs.h"
#include "vulkan/recording/dispatch_program.h"

namespace nnvk::vulkan {
namespace {

class EmissionList final : public DispatchList {
 public:
  explicit EmissionList(const ResolvedNode& node) {
    emission_.operands = operands_of(node.node);
    emission_.first_made = static_cast<TensorId>(node.plan.tensors.size());
  }
  NodeEmission take() { return std::move(emission_); }

  void add(Dispatch dispatch) override {
    if (dispatch.groups[0] == 0 || dispatch.groups[1] == 0 || dispatch.groups[2] == 0) return;  // an empty tensor
    (packing_ != nullptr ? *packing_ : emission_.dispatches).push_back(std::move(dispatch));
  }
  TensorId scratch(uint64_t bytes) override { return make({.kind = MadeTensor::Kind::kScratch, .size = bytes}); }
  TensorId status(uint32_t words) override { return make({.kind = MadeTensor::Kind::kStatus, .size = words * sizeof(uint32_t)}); }
  void data_sized(TensorId output, uint32_t dimension, TensorId status, uint32_t word) override {
    emission_.sizes.push_back({output, dimension, status, word});
  }
  void fail_if_set(TensorId status, uint32_t word, std::string message) override {
    emission_.failures.push_back({status, word, std::move(message)});
  }
  TensorId table(const std::string& key, std::vector<std::byte> contents) override {
    const size_t size = contents.size();
    return make({.kind = MadeTensor::Kind::kTable, .size = size, .key = key, .contents = std::move(contents)});
  }
  Result<TensorId> packed(const std::string& key, TensorId source, uint64_t bytes,
                          const std::function<Status(TensorId target)>& make_dispatches) override {
    for (size_t i = 0; i < emission_.made.size(); ++i) {
      const MadeTensor& made = emission_.made[i];
      if (made.kind == MadeTensor::Kind::kPacked && made.key == key) return emission_.first_made + static_cast<TensorId>(i);
    }
    const TensorId target = make(
        {.kind = MadeTensor::Kind::kPacked, .size = bytes, .key = key, .source = source, .before = emission_.dispatches.size()});
    std::vector<Dispatch> packing;
    std::vector<Dispatch>* const outer = std::exchange(packing_, &packing);
    Status status = make_dispatches(target);
    packing_ = outer;
    NNVK_TRY(std::move(status));
    emission_.made[target - emission_.first_made].packing = std::move(packing);
    return target;
  }

 private:
  TensorId make(MadeTensor tensor) {
    emission_.made.push_back(std::move(tensor));
    return emission_.first_made + static_cast<TensorId>(emission_.made.size() - 1);
  }

  NodeEmission emission_;
  std::vector<Dispatch>* packing_ = nullptr;  // receives the dispatches while constants are packed
};

// Everything about one operand on which an emitter's result may depend.
struct OperandFacts {
  OperandInfo info;
  size_t first_use = 0;  // the first operand that is the same tensor
  bool present = false;
  bool is_constant = false;
  bool depends_on_data = false;
  std::span<const std::byte> value;  // for constants: valid as long as the model lives
  std::vector<std::byte> computed;   // a value that the host computed from others

  bool operator==(const OperandFacts& other) const {
    const OperandInfo& a = info;
    const OperandInfo& b = other.info;
    return a.type == b.type && a.shape == b.shape && a.scale == b.scale && a.zero_point == b.zero_point &&
           a.channel_quant == b.channel_quant && a.extension == b.extension && first_use == other.first_use &&
           present == other.present && is_constant == other.is_constant && depends_on_data == other.depends_on_data &&
           value.data() == other.value.data() && value.size() == other.value.size() && computed == other.computed;
  }
};

// Everything about a node on which an emitter's result may depend.
struct NodeFacts {
  OperationCode code{};
  FusedActivation fused_activation = FusedActivation::kNone;
  bool has_residual = false;
  bool relaxed = false;
  size_t inputs = 0;
  std::vector<OperandFacts> operands;
  std::vector<uint32_t> fused_operations;
  bool operator==(const NodeFacts&) const = default;
};

std::vector<OperandFacts> operand_facts(const ResolvedNode& context) {
  const std::vector<TensorId> operands = operands_of(context.node);
  std::vector<OperandFacts> facts;
  for (const TensorId id : operands) {
    const auto first = std::find(operands.begin(), operands.end(), id);
    OperandFacts& fact = facts.emplace_back();
    fact.info = context.resolution.infos[id];
    fact.first_use = static_cast<size_t>(first - operands.begin());
    fact.present = context.resolution.present[id];
    fact.is_constant = context.plan.is_constant(context.plan.storage_of(id));
    fact.depends_on_data = context.resolution.data_dependent[id] != nullptr;
    const std::span<const std::byte> value = context.resolution.host_values[id];
    if (context.plan.is_constant(id)) {
      fact.value = value;
    } else {
      fact.computed.assign(value.begin(), value.end());
    }
  }
  return facts;
}

// Makes sure that the device runs every dispatch with its tensors: with some variant of its kernel, or with its inputs gathered
// in one buffer. Fails if neither works.
class FittedToDevice {
 public:
  FittedToDevice(NodeEmission& emission, const ResolvedNode& node) : emission_(emission), node_(node) {}

  Status fit() {
    // Iterates by index and only up to `made`, because fitted() appends scratch tensors to the vector.
    const size_t made = emission_.made.size();
    for (size_t i = 0; i < made; ++i) {
      NNVK_ASSIGN(emission_.made[i].packing, fitted(std::move(emission_.made[i].packing), nullptr));
    }
    std::vector<size_t> now_at;
    NNVK_ASSIGN(emission_.dispatches, fitted(std::move(emission_.dispatches), &now_at));
    for (size_t i = 0; i < made; ++i) emission_.made[i].before = now_at[emission_.made[i].before];
    return {};
  }

 private:
  Status check_groups(const Dispatch& dispatch) const {
    for (int axis = 0; axis < 3; ++axis) {
      if (dispatch.groups[axis] <= node_.traits.max_groups[axis]) continue;
      return beyond_device(std::to_string(dispatch.groups[axis]) + " work groups are more than the device runs in one dispatch");
    }
    return {};
  }

  // Returns the dispatches, with replacements for those that do not run as they are. `now_at` receives the index in the result at
  // which each dispatch or its replacement begins, and the length of the result.
  Result<std::vector<Dispatch>> fitted(std::vector<Dispatch> dispatches, std::vector<size_t>* now_at) {
    std::vector<Dispatch> list;
    for (Dispatch& dispatch : dispatches) {
      if (now_at != nullptr) now_at->push_back(list.size());
      const KernelInfo& kernel = kernel_info(dispatch.kernel);
      NNVK_TRY(check_groups(dispatch));
      const std::vector<BoundBytes> bound = bound_bytes(dispatch, emission_, node_);
      // A wrong number of bindings is an emitter's bug, which the builder reports.
      const auto variant =
          bound.size() != kernel.bindings.size() ? KernelVariant::kWords : choose_variant(kernel, bound, node_.traits);
      if (variant) {
        list.push_back(std::move(dispatch));
        continue;
      }
      if (!kernel.gathered) return fail(variant.error());
      const TensorId gathered = emission_.first_made + static_cast<TensorId>(emission_.made.size());
      NNVK_ASSIGN(const auto several, gather_inputs(dispatch, bound, gathered, node_.traits));
      emission_.made.push_back({.kind = MadeTensor::Kind::kScratch, .size = gathered_bytes(kernel, bound)});
      list.insert(list.end(), several.begin(), several.end());
    }
    if (now_at != nullptr) now_at->push_back(list.size());
    return list;
  }

  NodeEmission& emission_;
  const ResolvedNode& node_;
};

}  // namespace

struct KeptEmissions::Entry {
  NodeFacts facts;
  Emission emission;
};

std::vector<TensorId> operands_of(const PlanNode& node) {
  std::vector<TensorId> operands = node.inputs;
  operands.insert(operands.end(), node.outputs.begin(), node.outputs.end());
  if (node.residual != kNoTensor) operands.push_back(node.residual);
  return operands;
}

Result<NodeEmission> emit_node(const ResolvedNode& node) {
  EmissionList list(node);
  NNVK_TRY(find_emitter(node.node.code)->emit({node, list}));
  NodeEmission emission = list.take();
  NNVK_TRY(FittedToDevice(emission, node).fit());
  return emission;
}

TensorId operand_for(TensorId id, const NodeEmission& emission, const PlanNode& node) {
  const auto found = std::find(emission.operands.begin(), emission.operands.end(), id);
  const auto position = static_cast<size_t>(found - emission.operands.begin());
  if (position < node.inputs.size()) return node.inputs[position];
  const size_t output = position - node.inputs.size();
  return output < node.outputs.size() ? node.outputs[output] : node.residual;
}

std::vector<BoundBytes> bound_bytes(const Dispatch& dispatch, const NodeEmission& emission, const ResolvedNode& node) {
  const auto bytes_of = [&](TensorId id) -> uint64_t {
    if (id == kNoTensor) return 0;
    if (id >= emission.first_made) return emission.made[id - emission.first_made].size;
    return node.resolution.infos[operand_for(id, emission, node.node)].byte_size().value_or(0);
  };
  std::vector<BoundBytes> bound;
  for (const TensorBinding& binding : dispatch.bindings) bound.push_back({binding.format, padded_size(bytes_of(binding.tensor))});
  return bound;
}

KeptEmissions::Emission KeptEmissions::of(const ResolvedNode& resolved) {
  const PlanNode& node = resolved.node;
  NodeFacts facts{.code = node.code,
                  .fused_activation = node.fused_activation,
                  .has_residual = node.residual != kNoTensor,
                  .relaxed = resolved.plan.relaxed,
                  .inputs = node.inputs.size(),
                  .operands = operand_facts(resolved),
                  .fused_operations = node.fused_operations};
  const auto [begin, end] = entries_.equal_range(node.source_operation);
  const auto known = std::find_if(begin, end, [&](const auto& entry) { return entry.second->facts == facts; });
  if (known != end) return known->second->emission;
  auto emission = std::make_shared<const Result<NodeEmission>>(emit_node(resolved));
  ++counts_[node.source_operation];
  entries_.emplace(node.source_operation, std::make_shared<const Entry>(Entry{std::move(facts), emission}));
  return emission;
}

}  // namespace nnvk::vulkan
