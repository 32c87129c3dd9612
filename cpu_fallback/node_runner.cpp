// Runs a kernel, then the operations fused into its node: residual sum, then activation. They are separate passes over the
// output, so that a fused node gives bit for bit the result of the separate operations.
#include "cpu_fallback/node_runner.h"

#include <algorithm>
#include <functional>

#include "core/base/run_deadline.h"
#include "core/operations/operation_enumerators.h"
#include "core/operations/work_estimate.h"
#include "cpu_fallback/reference/tensor_access.h"

namespace nnvk::cpu {
namespace {

void clamp_quantized(const OutputTensor& out, FusedActivation activation) {
  const QuantizedBounds bounds = quantized_activation_bounds(activation, out.info.type, out.info.scale, out.info.zero_point);
  with_quant8_type(out.info.type, [&](auto tag) {
    using T = decltype(tag);
    auto* values = reinterpret_cast<T*>(out.data.data());
    for (size_t i = 0; i < out.data.size(); ++i) values[i] = static_cast<T>(std::clamp<int32_t>(values[i], bounds.lo, bounds.hi));
  });
}

// Adds the residual and applies the activation like a separate ADD. Without an activation, the sum is clamped to the finite range
// of float32. Halves are rounded between the two steps.
void add_and_clamp(const OutputTensor& out, std::span<const std::byte> residual, FusedActivation activation) {
  const ActivationBounds bounds = float_activation_bounds(activation);
  const auto run = [&](auto* values, const auto* added, auto&& widen, auto&& narrow) {
    for (size_t i = 0; i < out.data.size() / sizeof *values; ++i) {
      if (!residual.empty()) values[i] = narrow(widen(values[i]) + widen(added[i]));
      values[i] = narrow(clamp_float(widen(values[i]), bounds));
    }
  };
  if (out.info.type == OperandType::kTensorFloat32) {
    run(reinterpret_cast<float*>(out.data.data()), reinterpret_cast<const float*>(residual.data()), std::identity(),
        std::identity());
  } else {
    run(reinterpret_cast<Half*>(out.data.data()), reinterpret_cast<const Half*>(residual.data()), half_to_float, float_to_half);
  }
}

Status apply_epilogue(const PlanNode& node, const OutputTensor& out, std::span<const std::byte> residual) {
  if (node.residual == kNoTensor && node.fused_activation == FusedActivation::kNone) return {};
  if (is_quant8_asymm(out.info.type) && node.residual == kNoTensor) {
    clamp_quantized(out, node.fused_activation);
    return {};
  }
  const bool is_float_output = is_float_tensor(out.info.type);
  if (!is_float_output || (node.residual != kNoTensor && residual.size() != out.data.size())) {
    return fail(Code::kOpFailed, "a sum or activation fused behind the operation does not fit its output type or size");
  }
  add_and_clamp(out, residual, node.fused_activation);
  return {};
}

}  // namespace

const char* reason_not_supported(const PlanNode& node) {
  if (node.code == OperationCode::kIf || node.code == OperationCode::kWhile)
    return "control flow is run by the runtime, not by a device";
  if (find_reference_kernel(node.code) == nullptr && !node.is_view) return "the CPU device has no kernel for this operation yet";
  return nullptr;
}

Status run_node(const PlanNode& node, const CheckedOperation& operation, std::span<OutputTensor> outputs,
                std::span<const std::byte> residual) {
  for (OutputTensor& output : outputs) {
    const auto size = output.info.byte_size();
    if (!size || output.data.size() < *size) return fail(Code::kOpFailed, "an output's shape is unknown or its memory too small");
    output.data = output.data.first(static_cast<size_t>(*size));  // kernels fill all of it
  }
  const bool empty = std::all_of(outputs.begin(), outputs.end(), [](const OutputTensor& o) { return o.data.empty(); });
  if (empty) return {};
  const ReferenceKernel kernel = find_reference_kernel(node.code);
  if (kernel == nullptr) return fail(Code::kOpFailed, reason_not_supported(node));
  KernelContext context{operation, outputs};
  NNVK_TRY(catch_passed_deadline([&] { return kernel(context); }));
  return apply_epilogue(node, outputs[kFirstOutput], residual);
}

NodeProfile profile_of(const PlanNode& node, const OperationView& operation, const char* kernel, uint64_t nanoseconds) {
  const Work work = estimate_work(operation);
  return {node.source_operation,
          operation_name(node.code),
          node.is_view ? "view" : kernel,
          nanoseconds,
          node.is_view ? 0 : work.bytes,
          work.multiply_adds,
          {},
          node.fused_operations};
}

}  // namespace nnvk::cpu
