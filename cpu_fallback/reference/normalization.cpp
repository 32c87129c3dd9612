// L2_NORMALIZATION, LOCAL_RESPONSE_NORMALIZATION and INSTANCE_NORMALIZATION.
#include <algorithm>
#include <cmath>

#include "core/base/inverse_square_root.h"
#include "core/operations/parameters/normalization_parameters.h"
#include "core/operations/rules/operand_expectations.h"
#include "cpu_fallback/reference/families.h"
#include "cpu_fallback/reference/tensor_access.h"

namespace nnvk::cpu {
namespace {

// Calls fn(first) for every slice; its elements are first, first + inner, ... .
template <class Function>
void for_each_slice(const NormalizationSlices& slices, Function&& fn) {
  for (uint64_t slice = 0; slice < slices.outer * slices.inner; ++slice) {
    fn(slice / slices.inner * slices.size * slices.inner + slice % slices.inner);
  }
}

void l2_normalize_floats(KernelContext& context, const NormalizationSlices& slices) {
  const FloatInput in(context, 0);
  FloatOutput out(context, 0);
  for_each_slice(slices, [&](uint64_t first) {
    float sum = 0.0F;
    for (uint64_t i = 0; i < slices.size; ++i) sum += in[first + i * slices.inner] * in[first + i * slices.inner];
    const float norm = std::max(std::sqrt(sum), 1e-6F);
    for (uint64_t i = 0; i < slices.size; ++i) out[first + i * slices.inner] = in[first + i * slices.inner] / norm;
  });
  out.store();
}

// Signed values along the last axis are scaled in one go, all others through a rounded product with 128 * difference.
int32_t l2_normalized(int32_t difference, FixedPointMultiplier m, bool is_signed, bool last_axis) {
  if (is_signed && last_axis) return clamp_int(scale_fixed_point(difference, {m.mantissa, m.exponent + 7}), -128, 127);
  const int32_t value = rounding_shift_right(multiply_high(128 * difference, m.mantissa), -m.exponent);
  return is_signed ? clamp_int(value, -128, 127) : clamp_int(value + 128, 0, 255);
}

template <class T>
void l2_normalize_bytes(KernelContext& context, const NormalizationSlices& slices) {
  const auto in = context.input<T>(0);
  const auto out = context.output<T>(0);
  const int32_t zero_point = context.operation.input(0).zero_point;
  for_each_slice(slices, [&](uint64_t first) {
    const auto difference = [&](uint64_t i) { return in[first + i * slices.inner] - zero_point; };
    uint64_t sum = 0;
    for (uint64_t i = 0; i < slices.size; ++i) sum += static_cast<uint64_t>(difference(i) * difference(i));
    const FixedPointMultiplier m = inverse_square_root(sum);
    for (uint64_t i = 0; i < slices.size; ++i) {
      out[first + i * slices.inner] = static_cast<T>(l2_normalized(difference(i), m, std::is_signed_v<T>, slices.inner == 1));
    }
  });
}

Status l2_normalization(KernelContext& context) {
  NNVK_ASSIGN(const NormalizationSlices slices, normalization_slices(context.operation));
  switch (context.outputs[0].info.type) {
    case OperandType::kTensorQuant8Asymm:
      l2_normalize_bytes<uint8_t>(context, slices);
      return {};
    case OperandType::kTensorQuant8AsymmSigned:
      l2_normalize_bytes<int8_t>(context, slices);
      return {};
    default:
      l2_normalize_floats(context, slices);
      return {};
  }
}

// Every element is scaled by the squares of its neighbours along the axis, at most `radius` steps away.
Status local_response_normalization(KernelContext& context) {
  NNVK_ASSIGN(const NormalizationSlices slices, normalization_slices(context.operation));
  const int32_t radius = context.operation.scalar<int32_t>(1).value_or(-1);
  if (radius < 0) return fail(Code::kOpFailed, "radius is " + std::to_string(radius) + "; it must not be negative");
  const float bias = float_scalar(context.operation, 2).value_or(0.0F);
  const float alpha = float_scalar(context.operation, 3).value_or(0.0F);
  const float beta = float_scalar(context.operation, 4).value_or(0.0F);
  const uint64_t reach = std::min(static_cast<uint64_t>(radius), slices.size);
  const FloatInput in(context, 0);
  FloatOutput out(context, 0);
  for_each_slice(slices, [&](uint64_t first) {
    for (uint64_t i = 0; i < slices.size; ++i) {
      float sum = 0.0F;
      for (uint64_t j = i - std::min(i, reach); j <= std::min(slices.size - 1, i + reach); ++j) {
        sum += in[first + j * slices.inner] * in[first + j * slices.inner];
      }
      const uint64_t at = first + i * slices.inner;
      out[at] = in[at] * std::pow(bias + alpha * sum, -beta);
    }
  });
  out.store();
  return {};
}

// Mean and population variance of each channel of each image.
Status instance_normalization(KernelContext& context) {
  NNVK_ASSIGN(const NormalizationSlices slices, normalization_slices(context.operation));
  const float gamma = float_scalar(context.operation, 1).value_or(1.0F);
  const float beta = float_scalar(context.operation, 2).value_or(0.0F);
  const float epsilon = float_scalar(context.operation, 3).value_or(0.0F);
  const FloatInput in(context, 0);
  FloatOutput out(context, 0);
  const auto count = static_cast<float>(slices.size);
  for_each_slice(slices, [&](uint64_t first) {
    float sum = 0.0F;
    for (uint64_t i = 0; i < slices.size; ++i) sum += in[first + i * slices.inner];
    const float mean = sum / count;
    float squares = 0.0F;
    for (uint64_t i = 0; i < slices.size; ++i) {
      const float deviation = in[first + i * slices.inner] - mean;
      squares += deviation * deviation;
    }
    const float sigma = std::sqrt(squares / count + epsilon);
    for (uint64_t i = 0; i < slices.size; ++i) {
      const uint64_t at = first + i * slices.inner;
      out[at] = (in[at] - mean) * gamma / sigma + beta;
    }
  });
  out.store();
  return {};
}

constexpr KernelRow kRows[] = {
    {OperationCode::kL2Normalization, l2_normalization},
    {OperationCode::kLocalResponseNormalization, local_response_normalization},
    {OperationCode::kInstanceNormalization, instance_normalization},
};

}  // namespace

std::span<const KernelRow> normalization_kernels() { return kRows; }

}  // namespace nnvk::cpu
