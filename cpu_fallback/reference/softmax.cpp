// SOFTMAX along one axis.
#include <algorithm>
#include <bit>
#include <cmath>

#include "core/operations/operand_expectations.h"
#include "core/operations/shape_rules.h"
#include "cpu_fallback/reference/families.h"
#include "cpu_fallback/reference/fixed_point.h"
#include "cpu_fallback/reference/tensor_access.h"

namespace nnvk::cpu {
namespace {

Status float_softmax(KernelContext& context, float beta, AxisSplit split) {
  const FloatInput in(context, 0);
  FloatOutput out(context, 0);
  for (size_t slice = 0; slice < split.outer * split.inner; ++slice) {
    const size_t first = slice / split.inner * split.size * split.inner + slice % split.inner;
    float largest = in[first];
    for (size_t i = 1; i < split.size; ++i) largest = std::max(largest, in[first + i * split.inner]);
    float sum = 0.0F;
    for (size_t i = 0; i < split.size; ++i) {
      const size_t at = first + i * split.inner;
      out[at] = std::exp((in[at] - largest) * beta);
      sum += out[at];
    }
    const float reciprocal = 1.0F / sum;
    for (size_t i = 0; i < split.size; ++i) {
      float& value = out[first + i * split.inner];
      value = split.inner == 1 ? value * reciprocal : value / sum;  // the last axis multiplies, as the specification says
    }
  }
  out.store();
  return {};
}

template <class T>
void quant8_softmax_slice(std::span<const T> in, std::span<T> out, size_t first, AxisSplit split, Multiplier m,
                          double least_difference) {
  constexpr int32_t kOffset = std::is_signed_v<T> ? 128 : 0;
  int32_t largest = in[first];
  for (size_t i = 1; i < split.size; ++i) largest = std::max<int32_t>(largest, in[first + i * split.inner]);
  const auto exponential = [&](int32_t d) { return exp_of_negative(high_multiply(shift_left(d, m.exponent), m.mantissa), 5); };

  uint64_t wide_sum = 0;
  for (size_t i = 0; i < split.size; ++i) {
    const int32_t d = in[first + i * split.inner] - largest;
    if (d >= least_difference) wide_sum += static_cast<uint64_t>(rounding_shift_right(exponential(d), 12));
  }
  // Slices of more than 8191 equal elements would overflow; every quotient is then 0 anyway.
  const auto sum = static_cast<uint32_t>(std::min<uint64_t>(wide_sum, UINT32_MAX));
  const int zeros = std::countl_zero(sum);
  const auto fraction = static_cast<int32_t>((sum << zeros) - (uint32_t{1} << 31));
  const int32_t reciprocal = saturate_int32(2 * static_cast<int64_t>(two_over_one_plus(fraction)));
  for (size_t i = 0; i < split.size; ++i) {
    const size_t at = first + i * split.inner;
    const int32_t d = in[at] - largest;
    int32_t q = 0;
    if (d >= least_difference)
      q = std::clamp(rounding_shift_right(high_multiply(reciprocal, exponential(d)), 35 - zeros), 0, 255);
    out[at] = static_cast<T>(q - kOffset);
  }
}

Status quant8_softmax(KernelContext& context, float beta, AxisSplit split) {
  const OperandInfo& in = context.operation.input(0);
  const OperandInfo& out = context.outputs[0].info;
  const int32_t zero_point = in.type == OperandType::kTensorQuant8Asymm ? 0 : -128;
  if (out.scale != 1.0F / 256.0F || out.zero_point != zero_point) {
    return fail(Code::kOpFailed, "the quantized output must have scale 1/256 and zero point " + std::to_string(zero_point));
  }
  const double ratio = std::min(static_cast<double>(beta) * in.scale * (1 << 26), 2147483647.0);
  if (!(ratio > 1.0)) return fail(Code::kOpFailed, "beta * input scale must be greater than 2^-26");
  const Multiplier m = decompose(ratio);
  const double least_difference = -std::floor(std::ldexp(31.0 * (1 << 26), -m.exponent));
  return with_quant8_type(in.type, [&](auto tag) -> Status {
    using T = decltype(tag);
    for (size_t slice = 0; slice < split.outer * split.inner; ++slice) {
      const size_t first = slice / split.inner * split.size * split.inner + slice % split.inner;
      quant8_softmax_slice<T>(context.input<T>(0), context.output<T>(0), first, split, m, least_difference);
    }
    return {};
  });
}

Status softmax(KernelContext& context) {
  const Shape& shape = context.operation.shape(0);
  const float beta = float_scalar(context.operation, 1).value_or(0.0F);
  if (!(beta > 0.0F)) return fail(Code::kOpFailed, "beta is " + std::to_string(beta) + "; it must be positive");
  NNVK_ASSIGN(const uint32_t axis,
              normalize_axis(context.operation.scalar<int32_t>(2).value_or(-1), shape.rank(), Code::kOpFailed));
  const AxisSplit split = split_at_axis(shape, axis);
  if (is_quant8_asymm(context.operation.input(0).type)) return quant8_softmax(context, beta, split);
  return float_softmax(context, beta, split);
}

constexpr KernelRow kRows[] = {{OperationCode::kSoftmax, softmax}};

}  // namespace

std::span<const KernelRow> softmax_kernels() { return kRows; }

}  // namespace nnvk::cpu
