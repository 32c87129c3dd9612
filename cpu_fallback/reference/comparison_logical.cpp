// EQUAL ... LESS_EQUAL, LOGICAL_AND and LOGICAL_OR: two tensors that broadcast against each other give booleans, 0 or 1.
#include <functional>

#include "core/base/quantized_comparison.h"
#include "cpu_fallback/reference/broadcast_apply.h"
#include "cpu_fallback/reference/families.h"

namespace nnvk::cpu {
namespace {

// Floats by IEEE rules, BOOL8 as unsigned bytes, 8-bit values as the reals they stand for.
template <class Predicate>
Status compare(KernelContext& context) {
  const OperandInfo& a = context.operation.input(0);
  const OperandInfo& b = context.operation.input(1);
  const auto out = context.output<uint8_t>(0);
  const auto decide = [](auto x, auto y) { return static_cast<uint8_t>(Predicate{}(x, y)); };
  switch (a.type) {
    case OperandType::kTensorFloat32:
    case OperandType::kTensorFloat16:
      broadcast_apply(context, FloatInput(context, 0).values(), FloatInput(context, 1).values(), out, decide);
      return {};
    case OperandType::kTensorInt32:
      broadcast_apply(context, context.input<int32_t>(0), context.input<int32_t>(1), out, decide);
      return {};
    case OperandType::kTensorBool8:
      broadcast_apply(context, context.input<uint8_t>(0), context.input<uint8_t>(1), out, decide);
      return {};
    default:
      return with_quant8_type(a.type, [&](auto tag) -> Status {
        using T = decltype(tag);
        const ComparableScales scales = comparable_scales(a.scale, b.scale);
        broadcast_apply(context, context.input<T>(0), context.input<T>(1), out, [&](T x, T y) {
          return decide(static_cast<float>(x - a.zero_point) * scales.a, static_cast<float>(y - b.zero_point) * scales.b);
        });
        return {};
      });
  }
}

// Any byte but 0 is true.
template <class Predicate>
Status combine(KernelContext& context) {
  broadcast_apply(context, context.input<uint8_t>(0), context.input<uint8_t>(1), context.output<uint8_t>(0),
                  [](uint8_t a, uint8_t b) { return static_cast<uint8_t>(Predicate{}(a != 0, b != 0)); });
  return {};
}

Status logical_not(KernelContext& context) {
  const auto in = context.input<uint8_t>(0);
  const auto out = context.output<uint8_t>(0);
  for (size_t i = 0; i < out.size(); ++i) out[i] = in[i] == 0 ? 1 : 0;
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
