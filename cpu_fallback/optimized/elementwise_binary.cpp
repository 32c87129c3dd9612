// ADD, SUB, MUL and DIV of tensors of one shape.
#include "cpu_fallback/optimized/elementwise_arrays.h"

#include "core/operations/parameters/elementwise_binary_parameters.h"
#include "cpu_fallback/optimized/families.h"
#include "cpu_fallback/optimized/packed_weights.h"

namespace nnvk::cpu {
namespace {

using namespace elementwise_binary;

class FloatArraysKernel final : public OptimizedKernel {
 public:
  FloatArraysKernel(const KernelNode& node, FloatOperation operation, FusedActivation activation)
      : count_(node.operation.output(kOutput).shape.element_count()) {
    call_.operation = operation;
    call_.finish = float_finish(activation, node.node.fused_activation, node.node.residual != kNoTensor);
  }
  void run(const KernelMemory& memory, ThreadPool& threads) const override {
    FloatArrays call = call_;
    call.first = reinterpret_cast<const float*>(memory.inputs[kFirst]);
    call.second = reinterpret_cast<const float*>(memory.inputs[kSecond]);
    call.finish.residual = reinterpret_cast<const float*>(memory.residual);
    call.out = reinterpret_cast<float*>(memory.outputs[kOutput]);
    threads.parallel_rows(count_, 0.15, 64, [&](size_t first, size_t end) { combine_floats(call, first, end); });
  }
  const char* name() const override { return "float arrays"; }

 private:
  const size_t count_;
  FloatArrays call_;
};

class Quant8SumKernel final : public OptimizedKernel {
 public:
  Quant8SumKernel(const KernelNode& node, const ElementwiseBinaryParameters& parameters)
      : count_(node.operation.output(kOutput).shape.element_count()) {
    const OperandInfo& out = node.operation.output(kOutput);
    sum_.is_signed = out.type == OperandType::kTensorQuant8AsymmSigned;
    sum_.first_zero_point = node.operation.input(kFirst).zero_point;
    sum_.second_zero_point = node.operation.input(kSecond).zero_point;
    sum_.zero_point = out.zero_point;
    sum_.first_multiplier = parameters.first;
    sum_.second_multiplier = parameters.second;
    sum_.result_multiplier = parameters.result;
    sum_.guard_bits = kSumGuardBits;
    sum_.bounds = bounds_of_both(parameters.activation, node.node.fused_activation, out);
  }
  void run(const KernelMemory& memory, ThreadPool& threads) const override {
    Quant8Sum sum = sum_;
    sum.first = memory.inputs[kFirst];
    sum.second = memory.inputs[kSecond];
    sum.out = memory.outputs[kOutput];
    threads.parallel_rows(count_, 0.2, 64, [&](size_t first, size_t end) { add_quant8(sum, first, end); });
  }
  const char* name() const override { return "8-bit sum"; }

 private:
  const size_t count_;
  Quant8Sum sum_;
};

std::unique_ptr<OptimizedKernel> arrays(const KernelNode& node, FloatOperation operation) {
  const auto parameters = elementwise_binary_parameters(node.operation);
  const bool is_one_shape = node.operation.shape(kFirst) == node.operation.shape(kSecond);
  if (!parameters || !is_one_shape) return nullptr;
  const OperandType type = node.operation.output(kOutput).type;
  if (type == OperandType::kTensorFloat32) return std::make_unique<FloatArraysKernel>(node, operation, parameters->activation);
  const bool is_sum = operation == FloatOperation::kAdd || operation == FloatOperation::kSubtract;
  const auto has_representable_shift = [](const FixedPointMultiplier& m) { return m.exponent <= 31; };
  const bool is_representable = has_representable_shift(parameters->first) && has_representable_shift(parameters->second) &&
                                has_representable_shift(parameters->result);
  if (is_sum && is_representable && is_quant8_asymm(type) && node.node.residual == kNoTensor) {
    return std::make_unique<Quant8SumKernel>(node, *parameters);
  }
  return nullptr;
}

constexpr OptimizedRow kRows[] = {
    {OperationCode::kAdd, [](const KernelNode& node) { return arrays(node, FloatOperation::kAdd); }},
    {OperationCode::kSub, [](const KernelNode& node) { return arrays(node, FloatOperation::kSubtract); }},
    {OperationCode::kMul, [](const KernelNode& node) { return arrays(node, FloatOperation::kMultiply); }},
    {OperationCode::kDiv, [](const KernelNode& node) { return arrays(node, FloatOperation::kDivide); }},
};

}  // namespace

std::span<const OptimizedRow> optimized_elementwise_binary_kernels() { return kRows; }

}  // namespace nnvk::cpu
