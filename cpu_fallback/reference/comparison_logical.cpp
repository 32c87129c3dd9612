// EQUAL ... LESS_EQUAL, LOGICAL_AND and LOGICAL_OR: two tensors that broadcast against each other give booleans, 0 or 1.
#include <functional>

#include "core/base/quantized_comparison.h"
#include "core/operations/parameters/elementwise_binary_parameters.h"
#include "core/operations/parameters/unary_parameters.h"
#include "cpu_fallback/reference/broadcast_apply.h"
#include "cpu_fallback/reference/families.h"

namespace nnvk::cpu {
namespace {
using namespace elementwise_binary;

// Compares floats by IEEE rules, BOOL8 as unsigned bytes, 8-bit values as real numbers.
template <class Predicate>
Status compare(KernelContext& context) {
  const OperandInfo& a = context.operation.input(kFirst);
  const OperandInfo& b = context.operation.input(kSecond);
  const auto out = context.output<uint8_t>(kOutput);
  const Predicate holds;
  if (is_float_tensor(a.type)) {
    broadcast_apply(context, FloatInput(context, kFirst).values(), FloatInput(context, kSecond).values(), out, holds);
  } else if (a.type == OperandType::kTensorInt32) {
    broadcast_apply(context, context.input<int32_t>(kFirst), context.input<int32_t>(kSecond), out, holds);
  } else if (a.type == OperandType::kTensorBool8) {
    broadcast_apply(context, context.input<uint8_t>(kFirst), context.input<uint8_t>(kSecond), out, holds);
  } else {
    const ComparableScales scales = comparable_scales(a.scale, b.scale);
    with_quant8_type(a.type, [&](auto tag) {
      using T = decltype(tag);
      broadcast_apply(context, context.input<T>(kFirst), context.input<T>(kSecond), out, [&](T x, T y) {
        return holds(static_cast<float>(x - a.zero_point) * scales.a, static_cast<float>(y - b.zero_point) * scales.b);
      });
    });
  }
  return {};
}

// Computes LOGICAL_AND and LOGICAL_OR. Any byte but 0 is true.
template <class Predicate>
Status combine(KernelContext& context) {
  broadcast_apply(context, context.input<uint8_t>(kFirst), context.input<uint8_t>(kSecond), context.output<uint8_t>(kOutput),
                  [](uint8_t a, uint8_t b) { return Predicate{}(a != 0, b != 0); });
  return {};
}

Status logical_not(KernelContext& context) {
  const auto in = context.input<uint8_t>(unary::kInput);
  const auto out = context.output<uint8_t>(unary::kOutput);
  for_each_index(out.size(), [&](size_t i) { out[i] = in[i] == 0 ? 1 : 0; });
  return {};
}

constexpr KernelRow kRows[] = {
    {OperationCode::kEqual, compare<std::equal_to<>>},
    {OperationCode::kNotEqual, compare<std::not_equal_to<>>},
    {OperationCode::kGreater, compare<std::greater<>>},
    {OperationCode::kGreaterEqual, compare<std::greater_equal<>>},
    {OperationCode::kLess, compare<std::less<>>},
    {OperationCode::kLessEqual, compare<std::less_equal<>>},
    {OperationCode::kLogicalAnd, combine<std::logical_and<>>},
    {OperationCode::kLogicalOr, combine<std::logical_or<>>},
    {OperationCode::kLogicalNot, logical_not},
};

}  // namespace

std::span<const KernelRow> comparison_logical_kernels() { return kRows; }

}  // namespace nnvk::cpu
