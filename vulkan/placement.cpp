// Placement decisions and a rough cost model.
#include "vulkan/placement.h"

#include <algorithm>

#include "core/plan/resolve.h"
#include "vulkan/kernels/kernel_emitter.h"
#include "vulkan/trial_emission.h"

namespace nnvk::vulkan {
namespace {

// Orders of magnitude per kind of device, enough to compare placements; measured times take their place once there are any.
struct Rates {
  double multiply_adds_per_second;
  double bytes_per_second;
  double seconds_per_node;
};
constexpr Rates kSoftwareRates{12e9, 4e9, 40e-6};  // lavapipe on two cores
constexpr Rates kHardwareRates{300e9, 60e9, 6e-6};

uint64_t elements(const Shape& shape) {
  uint64_t count = 1;
  for (const uint32_t dim : shape.dims) count *= dim == kUnknownDimension ? 1 : dim;
  return count;
}

uint64_t bytes(const OperandInfo& info) { return elements(info.shape) * element_size(info.type); }

double predicted_seconds(const Plan& plan, const PlanNode& node, const Rates& rates) {
  if (node.is_view) return 0.0;
  uint64_t moved = 0;
  for (const TensorId id : node.inputs) moved += bytes(plan.tensors[id].info);
  for (const TensorId id : node.outputs) moved += bytes(plan.tensors[id].info);
  return static_cast<double>(multiply_adds(plan, node)) / rates.multiply_adds_per_second +
         static_cast<double>(moved) / rates.bytes_per_second + rates.seconds_per_node;
}

// A parameter that other nodes compute must be computable on the host: the bytes of plan outputs exist on the device only.
std::string parameter_problem(const Plan& plan, const PlanNode& node, const std::vector<bool>& on_host,
                              const std::vector<const PlanNode*>& producers, bool can_evaluate) {
  const OperationDefinition* definition = find_operation(node.code);
  if (definition == nullptr) return {};
  for (size_t i = 0; i < node.inputs.size(); ++i) {
    const TensorId id = node.inputs[i];
    if (!is_parameter(*definition, plan.tensors[id].info, i) || producers[id] == nullptr) continue;
    const std::string name = "parameter " + std::to_string(i) + " is computed by " + plan.describe(*producers[id]);
    if (!can_evaluate) return name + ", and there is no host evaluator";
    if (plan.tensors[id].role == TensorRole::kOutput) return name + " as an output of the model, which only the device writes";
    if (!on_host[static_cast<size_t>(producers[id] - plan.nodes.data())]) return name + " on the device";
  }
  return {};
}

}  // namespace

uint64_t multiply_adds(const Plan& plan, const PlanNode& node) {
  switch (node.code) {
    case OperationCode::kConv2d:
    case OperationCode::kGroupedConv2d:
    case OperationCode::kDepthwiseConv2d:
    case OperationCode::kFullyConnected:
    case OperationCode::kTransposeConv2d:
    case OperationCode::kBatchMatmul:
      break;
    default:
      return 0;
  }
  if (node.inputs.size() < 2 || node.outputs.empty()) return 0;
  if (node.code == OperationCode::kBatchMatmul) {
    // Every element of the left side meets one row of the right side, which is as long as a row of the result.
    const Shape& output = plan.tensors[node.outputs[0]].info.shape;
    const uint64_t columns = output.rank() == 0 || output.dims.back() == kUnknownDimension ? 1 : output.dims.back();
    return elements(plan.tensors[node.inputs[0]].info.shape) * columns;
  }
  const Shape& filter = plan.tensors[node.inputs[1]].info.shape;
  if (filter.rank() == 0) return 0;
  // Filters are [out, ...] except depthwise ones, [1, height, width, out]. A transposed convolution spreads each input element.
  const uint32_t channels = node.code == OperationCode::kDepthwiseConv2d ? filter.dims.back() : filter.dims.front();
  const uint64_t per_output = channels == 0 || channels == kUnknownDimension ? elements(filter) : elements(filter) / channels;
  if (node.code == OperationCode::kTransposeConv2d) {
    return elements(plan.tensors[node.inputs[0]].info.shape) * elements(filter) / std::max<uint32_t>(1, filter.dims.back());
  }
  return elements(plan.tensors[node.outputs[0]].info.shape) * per_output;
}

std::vector<Placement> place_nodes(const Plan& plan, const DeviceTraits& traits, const HostEvaluator& evaluator) {
  const std::vector<bool> on_host = host_nodes(plan);
  const std::vector<std::string> problems = emission_problems(plan, traits, evaluator);
  std::vector<const PlanNode*> producers(plan.tensors.size(), nullptr);
  for (const PlanNode& node : plan.nodes) {
    for (const TensorId id : node.outputs) producers[id] = &node;
  }
  std::vector<Placement> placements;
  placements.reserve(plan.nodes.size());
  for (const PlanNode& node : plan.nodes) {
    Placement& placement = placements.emplace_back();
    placement.predicted_seconds = predicted_seconds(plan, node, traits.software ? kSoftwareRates : kHardwareRates);
    if (node.is_view) {
      placement.supported = true;
      continue;
    }
    if (node.code == OperationCode::kIf || node.code == OperationCode::kWhile) {
      placement.reason = "control flow is run by the runtime, not by a device";
      continue;
    }
    const KernelEmitter* emitter = find_emitter(node.code);
    if (emitter == nullptr) {
      placement.reason = "no Vulkan kernel for " + operation_name(node.code);
      continue;
    }
    if (emitter->support != nullptr) {
      if (const Status support = emitter->support(plan, node, traits); !support) {
        placement.reason = support.error().message;
        continue;
      }
    }
    placement.reason = parameter_problem(plan, node, on_host, producers, evaluator != nullptr);
    if (placement.reason.empty()) placement.reason = problems[placements.size() - 1];
    placement.supported = placement.reason.empty();
  }
  return placements;
}

}  // namespace nnvk::vulkan
