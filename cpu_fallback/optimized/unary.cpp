// One element in, one element out: activations and functions of floats, tables of bytes, ABS and NEG of integers, LOGICAL_NOT.
#include "core/operations/parameters/unary_parameters.h"

#include "core/operations/parameters/quantized_unary.h"
#include "cpu_fallback/optimized/arrays/array_functions.h"
#include "cpu_fallback/optimized/byte_table.h"
#include "cpu_fallback/optimized/element_loop.h"
#include "cpu_fallback/optimized/families.h"
#include "cpu_fallback/optimized/function_kernel.h"

namespace nnvk::cpu {
namespace {

using namespace unary;

double nanoseconds_of(FloatFunction function) {
  switch (function) {
    case FloatFunction::kExp:
    case FloatFunction::kLog:
    case FloatFunction::kSin:
    case FloatFunction::kElu:
    case FloatFunction::kLogistic:
    case FloatFunction::kTanh:
      return 0.6;
    default:
      return 0.15;
  }
}

using IntFunction = void (*)(const int32_t* in, int32_t* out, size_t count);

std::unique_ptr<OptimizedKernel> function(const KernelNode& node, const FloatFunctionCall& call) {
  if (node.has_epilogue()) return nullptr;
  const OperandInfo& in = node.operation.input(kInput);
  const OperandInfo& out = node.operation.output(kOutput);
  if (in.type == OperandType::kTensorFloat32) {
    return array_kernel(node, "float function", nanoseconds_of(call.function),
                        [call](const std::byte* from, std::byte* to, size_t count) {
                          apply_float_function(call, reinterpret_cast<const float*>(from), reinterpret_cast<float*>(to), count);
                        });
  }
  if (!is_quant8_asymm(in.type)) return nullptr;
  const auto table = quantized_unary_table(node.operation.code, in, out);
  return table ? make_byte_table_kernel(out.shape.element_count(), *table) : nullptr;
}

std::unique_ptr<OptimizedKernel> clamp(const KernelNode& node, FusedActivation activation) {
  return function(node, {.function = FloatFunction::kClamp, .bounds = float_activation_bounds(activation)});
}

std::unique_ptr<OptimizedKernel> elu(const KernelNode& node) {
  const auto alpha = elu_alpha(node.operation);
  return alpha ? function(node, {.function = FloatFunction::kElu, .alpha = *alpha}) : nullptr;
}

std::unique_ptr<OptimizedKernel> signed_function(const KernelNode& node, FloatFunction floats, IntFunction ints) {
  if (node.operation.input(kInput).type != OperandType::kTensorInt32) return function(node, {.function = floats});
  return array_kernel(node, "integer function", 0.15, [ints](const std::byte* in, std::byte* out, size_t count) {
    ints(reinterpret_cast<const int32_t*>(in), reinterpret_cast<int32_t*>(out), count);
  });
}

std::unique_ptr<OptimizedKernel> logical_not(const KernelNode& node) {
  if (node.has_epilogue()) return nullptr;
  ByteTable table{};
  table[0] = 1;
  return make_byte_table_kernel(node.operation.output(kOutput).shape.element_count(), table);
}

template <FloatFunction kFunction>
std::unique_ptr<OptimizedKernel> plain(const KernelNode& node) {
  return function(node, {.function = kFunction});
}

constexpr auto kRows = rounding_halves_once({
    {OperationCode::kAbs, [](const KernelNode& n) { return signed_function(n, FloatFunction::kAbs, magnitude_of_ints); }},
    {OperationCode::kNeg, [](const KernelNode& n) { return signed_function(n, FloatFunction::kNegate, negate_ints); }},
    {OperationCode::kFloor, plain<FloatFunction::kFloor>},
    {OperationCode::kExp, plain<FloatFunction::kExp>},
    {OperationCode::kLog, plain<FloatFunction::kLog>},
    {OperationCode::kSin, plain<FloatFunction::kSin>},
    {OperationCode::kSqrt, plain<FloatFunction::kSqrt>},
    {OperationCode::kRsqrt, plain<FloatFunction::kReciprocalRoot>},
    {OperationCode::kLogistic, plain<FloatFunction::kLogistic>},
    {OperationCode::kTanh, plain<FloatFunction::kTanh>},
    {OperationCode::kHardSwish, plain<FloatFunction::kHardSwish>},
    {OperationCode::kElu, elu},
    {OperationCode::kRelu, [](const KernelNode& node) { return clamp(node, FusedActivation::kRelu); }},
    {OperationCode::kRelu1, [](const KernelNode& node) { return clamp(node, FusedActivation::kRelu1); }},
    {OperationCode::kRelu6, [](const KernelNode& node) { return clamp(node, FusedActivation::kRelu6); }},
    {OperationCode::kLogicalNot, logical_not},
});

}  // namespace

std::unique_ptr<OptimizedKernel> make_byte_table_kernel(size_t count, const ByteTable& table) {
  return function_kernel("byte table", [count, table](const KernelMemory& memory, ThreadPool& threads) {
    threads.parallel_rows(count, 0.1, 64, [&](size_t first, size_t end) {
      look_up_bytes(table.data(), memory.inputs[kInput] + first, memory.outputs[kOutput] + first, end - first);
    });
  });
}

std::span<const OptimizedRow> optimized_unary_kernels() { return kRows; }

}  // namespace nnvk::cpu
