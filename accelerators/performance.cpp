#include "accelerators/performance.h"

#include <algorithm>

namespace nnvk::accelerators {
namespace {

constexpr double kFastest = 1e-3;

double figure_of(const DeviceDescription& device, OperandType type, bool relaxed) {
  if (relaxed && type == OperandType::kTensorFloat32) return device.relaxed_tensor.execution_time;
  if (relaxed && type == OperandType::kFloat32) return device.relaxed_scalar.execution_time;
  const auto known = device.operands.find(static_cast<int32_t>(type));
  return known != device.operands.end() ? known->second.execution_time : 1.0;
}

}  // namespace

double relative_time(const DeviceDescription& device, const Plan& plan, const PlanNode& node) {
  if (node.inputs.empty()) return 1.0;
  return std::max(figure_of(device, plan.tensors[node.inputs[kFirstInput]].info.type, plan.relaxed), kFastest);
}

}  // namespace nnvk::accelerators
