// Runs the shape functions over a whole plan, and computes parameters that nodes produce on the host.
#include "core/plan/resolve.h"

#include <algorithm>

namespace nnvk {
namespace {

void append_bytes(std::vector<std::byte>& key, const void* data, size_t size) {
  const auto* bytes = static_cast<const std::byte*>(data);
  key.insert(key.end(), bytes, bytes + size);
}

void append_number(std::vector<std::byte>& key, uint64_t number) { append_bytes(key, &number, sizeof number); }

void append_shape(std::vector<std::byte>& key, const Shape& shape) {
  append_number(key, shape.rank_known ? shape.rank() : UINT64_MAX);
  append_bytes(key, shape.dims.data(), shape.dims.size() * sizeof(uint32_t));
}

// The tensors whose bytes the host must know: parameters, and everything on which a computed parameter depends.
struct HostNeeds {
  std::vector<bool> tensors;
  std::vector<bool> nodes;
};

bool is_shape_only(const PlanNode& node, size_t i) {
  const OperationDefinition* definition = find_operation(node.code);
  return definition != nullptr && nnvk::is_shape_only(*definition, i);
}

HostNeeds host_needs(const Plan& plan) {
  HostNeeds needs{std::vector<bool>(plan.tensors.size()), std::vector<bool>(plan.nodes.size())};
  for (const PlanNode& node : plan.nodes) {
    const OperationDefinition* definition = find_operation(node.code);
    if (definition == nullptr) continue;
    for (size_t i = 0; i < node.inputs.size(); ++i) {
      if (is_parameter(*definition, plan.tensors[node.inputs[i]].info, i)) needs.tensors[node.inputs[i]] = true;
    }
  }
  // Nodes are in running order, so one sweep from the last to the first finds all direct and indirect producers.
  for (size_t n = plan.nodes.size(); n-- > 0;) {
    const PlanNode& node = plan.nodes[n];
    for (const TensorId output : node.outputs) needs.nodes[n] = needs.nodes[n] || needs.tensors[output];
    if (!needs.nodes[n]) continue;
    for (size_t i = 0; i < node.inputs.size(); ++i) {
      if (!is_shape_only(node, i)) needs.tensors[node.inputs[i]] = true;
    }
  }
  return needs;
}

// Computes the outputs of one node on the host and stores their bytes as host values.
Status evaluate_node(const Plan& plan, const PlanNode& node, const HostEvaluator& evaluator, Resolution& resolution) {
  const NodeView view = resolution.view(node);
  std::vector<OperandInfo> infos;
  std::vector<std::span<std::byte>> outputs;
  for (const TensorId id : node.outputs) {
    const auto size = resolution.infos[id].byte_size();
    if (!size) return fail(Code::kOpFailed, "the size of a parameter is not known");
    infos.push_back(resolution.infos[id]);
    resolution.owned.emplace_back(*size);
    outputs.emplace_back(resolution.owned.back());
  }
  NNVK_TRY(evaluator(plan, node, view.inputs, infos, outputs));
  for (size_t i = 0; i < node.outputs.size(); ++i) resolution.host_values[node.outputs[i]] = outputs[i];
  return {};
}

Status bind_inputs(const Plan& plan, const HostNeeds& needs, std::span<const BoundTensor> inputs, Resolution& resolution) {
  if (inputs.size() != plan.inputs.size()) {
    return fail(Code::kBadData,
                std::to_string(inputs.size()) + " inputs are given, the plan has " + std::to_string(plan.inputs.size()));
  }
  for (size_t i = 0; i < inputs.size(); ++i) {
    const TensorId id = plan.inputs[i];
    if (inputs[i].omitted) {
      resolution.present[id] = false;
      continue;
    }
    const auto merged = merge_shapes(plan.tensors[id].info.shape, inputs[i].shape);
    if (!merged) {
      return fail(Code::kBadData, "input " + std::to_string(i) + " has shape " + inputs[i].shape.to_string() +
                                      " but the model declares " + plan.tensors[id].info.shape.to_string());
    }
    resolution.infos[id].shape = *merged;
    if (needs.tensors[id] && inputs[i].data.data() != nullptr) {
      const auto size = resolution.infos[id].byte_size().value_or(0);
      if (inputs[i].data.size() < size) return fail(Code::kBadData, "input " + std::to_string(i) + " is too short");
      resolution.owned.emplace_back(inputs[i].data.begin(), inputs[i].data.begin() + static_cast<std::ptrdiff_t>(size));
      resolution.host_values[id] = resolution.owned.back();
    }
  }
  return {};
}

bool inputs_known_on_host(const Plan& plan, const PlanNode& node, const Resolution& resolution) {
  for (size_t i = 0; i < node.inputs.size(); ++i) {
    const TensorId id = node.inputs[i];
    const bool known =
        is_shape_only(node, i) ? resolution.infos[id].shape.fully_known() : resolution.host_values[id].data() != nullptr;
    if (resolution.present[id] && !known) return false;
  }
  for (const TensorId id : node.outputs) {
    if (!resolution.infos[id].shape.fully_known()) return false;
    if (plan.tensors[id].role == TensorRole::kOutput) return false;  // the device must write the client's result
  }
  return true;
}

// Returns true if the node has an optional operand that is an input of the plan. Before an execution, it is unknown whether the
// client gives that input; if not, its declared shape means nothing. So the node's outputs stay as declared.
bool presence_is_open(const Plan& plan, const PlanNode& node, const OperationDefinition& definition) {
  for (size_t i = 0; i < node.inputs.size(); ++i) {
    if (may_be_omitted(definition, i) && plan.tensors[node.inputs[i]].role == TensorRole::kInput) return true;
  }
  return false;
}

// Returns the shapes and values that are known before any shape function runs.
Resolution begin_resolution(const Plan& plan) {
  Resolution resolution;
  const size_t count = plan.tensors.size();
  resolution.infos.reserve(count);
  for (const PlanTensor& tensor : plan.tensors) resolution.infos.push_back(tensor.info);
  resolution.present.resize(count);
  resolution.host_values.resize(count);
  resolution.data_dependent.resize(count);
  resolution.evaluated_on_host.resize(plan.nodes.size());
  for (size_t t = 0; t < count; ++t) {
    resolution.present[t] = plan.tensors[t].role != TensorRole::kOmitted;
    if (plan.tensors[t].role == TensorRole::kConstant) resolution.host_values[t] = plan.tensors[t].value;
  }
  return resolution;
}

Status bind_outputs(const Plan& plan, std::span<const BoundTensor> outputs, Resolution& resolution) {
  for (size_t i = 0; i < outputs.size() && i < plan.outputs.size(); ++i) {
    OperandInfo& info = resolution.infos[plan.outputs[i]];
    if (outputs[i].omitted) continue;
    const auto merged = merge_shapes(info.shape, outputs[i].shape);
    if (!merged) {
      return fail(Code::kBadData, "output " + std::to_string(i) + " is given as " + outputs[i].shape.to_string() +
                                      " but the model declares " + info.shape.to_string());
    }
    info.shape = *merged;
  }
  return {};
}

// Runs the shape functions in the order of the nodes.
Status infer_shapes(const Plan& plan, const HostNeeds& needs, const HostEvaluator& evaluator, bool inputs_are_bound,
                    Resolution& resolution) {
  for (size_t n = 0; n < plan.nodes.size(); ++n) {
    const PlanNode& node = plan.nodes[n];
    const OperationDefinition* definition = find_operation(node.code);
    if (definition == nullptr) continue;  // extension operations: shapes stay as declared
    if (!inputs_are_bound && presence_is_open(plan, node, *definition)) continue;
    auto shapes = infer_output_shapes(resolution.view(node).view());
    if (!shapes) return fail(shapes.error().at(plan.place_of(node)));
    auto bounds = bound_output_shapes(resolution.view(node).view(), *shapes);
    if (!bounds) return fail(bounds.error().at(plan.place_of(node)));
    for (size_t i = 0; i < node.outputs.size(); ++i) {
      resolution.infos[node.outputs[i]].shape = (*bounds)[i];
      if (!has_data_dependent_shapes(node.code)) continue;
      resolution.data_dependent[node.outputs[i]] = std::make_unique<Shape>(std::move((*shapes)[i]));
    }
    if (needs.nodes[n] && evaluator && inputs_known_on_host(plan, node, resolution)) {
      if (auto status = evaluate_node(plan, node, evaluator, resolution); !status) {
        return fail(status.error().at(plan.place_of(node)));
      }
      resolution.evaluated_on_host[n] = true;
    }
  }
  return {};
}

}  // namespace

NodeView Resolution::view(const PlanNode& node) const {
  NodeView result;
  result.code = node.code;
  for (const TensorId id : node.inputs) result.inputs.push_back({&infos[id], static_cast<bool>(present[id]), host_values[id]});
  for (const TensorId id : node.outputs) result.outputs.push_back(&infos[id]);
  return result;
}

std::vector<bool> host_nodes(const Plan& plan) { return host_needs(plan).nodes; }

std::vector<bool> parameter_inputs(const Plan& plan) {
  const HostNeeds needs = host_needs(plan);
  std::vector<bool> result;
  for (const TensorId id : plan.inputs) result.push_back(needs.tensors[id]);
  return result;
}

Result<Resolution> resolve(const Plan& plan, std::span<const BoundTensor> inputs, std::span<const BoundTensor> outputs,
                           const HostEvaluator& evaluator) {
  Resolution resolution = begin_resolution(plan);
  const HostNeeds needs = host_needs(plan);
  NNVK_TRY(bind_inputs(plan, needs, inputs, resolution));
  NNVK_TRY(bind_outputs(plan, outputs, resolution));
  NNVK_TRY(infer_shapes(plan, needs, evaluator, true, resolution));
  return resolution;
}

Result<Resolution> resolve_declared(const Plan& plan, const HostEvaluator& evaluator) {
  Resolution resolution = begin_resolution(plan);
  NNVK_TRY(infer_shapes(plan, host_needs(plan), evaluator, false, resolution));
  return resolution;
}

std::optional<size_t> open_parameter(const Plan& plan, const PlanNode& node, const Resolution& resolution) {
  const OperationDefinition* const definition = find_operation(node.code);
  if (definition == nullptr) return std::nullopt;
  for (size_t i = 0; i < node.inputs.size(); ++i) {
    const TensorId id = node.inputs[i];
    const bool is_known = !resolution.present[id] || resolution.host_values[id].data() != nullptr;
    if (!is_known && is_parameter(*definition, plan.tensors[id].info, i)) return i;
  }
  return std::nullopt;
}

std::optional<DeclaredBindings> declared_bindings(const Plan& plan) {
  const std::vector<bool> parameters = parameter_inputs(plan);
  if (std::ranges::find(parameters, true) != parameters.end()) return std::nullopt;
  DeclaredBindings declared;
  for (const TensorId id : plan.inputs) {
    if (!plan.tensors[id].info.shape.fully_known()) return std::nullopt;
    declared.inputs.push_back({plan.tensors[id].info.shape});
  }
  for (const TensorId id : plan.outputs) declared.outputs.push_back({plan.tensors[id].info.shape});
  return declared;
}

void append_resolution_key(const Plan& plan, const std::vector<bool>& parameter_inputs, std::span<const BoundTensor> inputs,
                           std::span<const BoundTensor> outputs, std::vector<std::byte>& key) {
  for (size_t i = 0; i < inputs.size(); ++i) {
    append_number(key, inputs[i].omitted ? 1 : 0);
    if (inputs[i].omitted) continue;
    append_shape(key, inputs[i].shape);
    if (i < parameter_inputs.size() && parameter_inputs[i]) {
      append_number(key, inputs[i].data.size());
      append_bytes(key, inputs[i].data.data(), inputs[i].data.size());
    }
  }
  for (size_t i = 0; i < outputs.size(); ++i) {
    append_number(key, outputs[i].omitted ? 1 : 0);
    const Shape& declared = plan.tensors[plan.outputs[i]].info.shape;
    const bool says_nothing_new = declared.fully_known() && outputs[i].shape == declared;
    if (!outputs[i].omitted && !says_nothing_new) append_shape(key, outputs[i].shape);
  }
}

}  // namespace nnvk
