#include "accelerators/sample_npu/npu_limits.h"

#include <algorithm>

#include "core/operations/operation_enumerators.h"
#include "core/operations/parameters/window_parameters.h"
#include "core/operations/work_estimate.h"

namespace nnvk::sample_npu {
namespace {

bool has_weights(OperationCode code) {
  return code == OperationCode::kConv2d || code == OperationCode::kDepthwiseConv2d || code == OperationCode::kFullyConnected;
}

bool is_window(OperationCode code) {
  return code == OperationCode::kConv2d || code == OperationCode::kDepthwiseConv2d || code == OperationCode::kAveragePool2d ||
         code == OperationCode::kMaxPool2d;
}

// Returns the reason why the chip cannot use a tensor; empty if it can. Scalars (strides, activations) are part of the operation,
// so they must be constants. Weights and bias have types of their own.
std::string reason_against_tensor(const Plan& plan, const PlanNode& node, TensorId id, bool is_parameter) {
  const PlanTensor& tensor = plan.tensors[id];
  if (tensor.role == TensorRole::kOmitted) return "it needs all operands";
  if (!plan.is_constant(id) && (is_parameter || !tensor.info.is_tensor())) return "weights and parameters must be constants";
  if (!tensor.info.is_tensor() || is_parameter) return {};
  if (!is_quant8_asymm(tensor.info.type)) return "tensors must be 8-bit and asymmetric";
  if (!tensor.info.shape.fully_known()) return "shapes must be known when compiling";
  if (tensor.info.shape.rank() > 4) return "tensors may have at most four dimensions";
  const auto& dims = tensor.info.shape.dims;
  if (dims.empty() || std::ranges::find(dims, 0U) != dims.end()) return "tensors need elements";
  if (is_window(node.code) && dims.back() > kMostChannels) {
    return "at most " + std::to_string(kMostChannels) + " channels fit into its memory";
  }
  return {};
}

}  // namespace

std::string reason_declined(const Plan& plan, const PlanNode& node) {
  const bool is_joining = node.code == OperationCode::kConcatenation;
  if (!is_window(node.code) && !is_joining && node.code != OperationCode::kFullyConnected && node.code != OperationCode::kAdd) {
    return "the chip has no such operation";
  }
  for (size_t i = 0; i < node.inputs.size(); ++i) {
    const bool is_parameter = has_weights(node.code) && (i == convolution::kFilter || i == convolution::kBias);
    if (auto reason = reason_against_tensor(plan, node, node.inputs[i], is_parameter); !reason.empty()) return reason;
  }
  for (const TensorId id : node.outputs) {
    if (auto reason = reason_against_tensor(plan, node, id, false); !reason.empty()) return reason;
  }
  if (is_joining && node.inputs.size() > kMostJoinedTensors + 1) return "it can join at most four tensors";
  if (node.code == OperationCode::kAdd &&
      plan.tensors[node.inputs[kFirstInput]].info.shape != plan.tensors[node.inputs[kSecondInput]].info.shape) {
    return "it can add only tensors of the same shape";
  }
  if (is_window(node.code)) {
    const NodeView view = declared_view(plan, node);
    const auto window = window_parameters(view.view());
    if (!window) return window.error().message;
    if (window->nchw) return "images must be in NHWC";
  }
  return {};
}

double predicted_seconds(const OperationView& operation) {
  const Work work = estimate_work(operation);
  return kSecondsPerOperation + static_cast<double>(work.multiply_adds) / kMultiplyAddsPerSecond +
         static_cast<double>(work.bytes) / kBytesPerSecond;
}

}  // namespace nnvk::sample_npu
