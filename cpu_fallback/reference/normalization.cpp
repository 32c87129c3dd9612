#include <algorithm>
#include <cmath>

#include "core/base/inverse_square_root.h"
#include "core/operations/parameters/normalization_parameters.h"
#include "cpu_fallback/reference/families.h"
#include "cpu_fallback/reference/tensor_access.h"

namespace nnvk::cpu {
namespace {

void l2_normalize_floats(std::span<const float> in, std::span<float> out, const AxisSplit& slices) {
  for_each_slice(slices, [&](uint64_t first) {
    float sum = 0.0F;
    for (uint64_t i = 0; i < slices.size; ++i) sum += in[first + i * slices.inner] * in[first + i * slices.inner];
    const float norm = std::max(std::sqrt(sum), 1e-6F);
    for (uint64_t i = 0; i < slices.size; ++i) out[first + i * slices.inner] = in[first + i * slices.inner] / norm;
  });
}

// Scales signed values along the last axis in one step, all others through a rounded product with 128 * difference.
int32_t l2_normalized(int32_t difference, FixedPointMultiplier m, bool is_signed, bool last_axis) {
  if (is_signed && last_axis) return clamp_int(scale_fixed_point(difference, {m.mantissa, m.exponent + 7}), -128, 127);
  const int32_t value = rounding_shift_right(multiply_high(128 * difference, m.mantissa), -m.exponent);
  return is_signed ? clamp_int(value, -128, 127) : clamp_int(value + 128, 0, 255);
}

template <class T>
void l2_normalize_bytes(std::span<const T> in, std::span<T> out, const AxisSplit& slices, int32_t zero_point) {
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

Status run_l2_normalization(KernelContext& context) {
  NNVK_ASSIGN(const AxisSplit slices, l2_normalization_slices(context.operation));
  return with_floats_or_bytes(context, [&](auto tag, auto in, auto out) -> Status {
    if constexpr (std::is_same_v<decltype(tag), float>) {
      l2_normalize_floats(in, out, slices);
    } else {
      l2_normalize_bytes<decltype(tag)>(in, out, slices, context.operation.input(l2_normalization::kInput).zero_point);
    }
    return {};
  });
}

// Scales every element by the squares of its neighbours along the axis, at most `radius` steps away.
Status run_local_response_normalization(KernelContext& context) {
  using namespace local_response_normalization;
  NNVK_ASSIGN(const LocalResponseParameters p, local_response_parameters(context.operation));
  const AxisSplit& slices = p.slices;
  const FloatInput in(context, kInput);
  FloatOutput out(context, kOutput);
  DeadlineWatch watch;
  for_each_slice(slices, [&](uint64_t first) {
    for (uint64_t i = 0; i < slices.size; ++i) {
      watch.look();
      float sum = 0.0F;
      for (uint64_t j = i - std::min<uint64_t>(i, p.radius); j <= std::min(slices.size - 1, i + p.radius); ++j) {
        sum += in[first + j * slices.inner] * in[first + j * slices.inner];
      }
      const uint64_t at = first + i * slices.inner;
      out[at] = in[at] * std::pow(p.bias + p.alpha * sum, -p.beta);
    }
  });
  return {};
}

// Normalizes by the mean and the population variance of each channel of each image.
Status run_instance_normalization(KernelContext& context) {
  using namespace instance_normalization;
  NNVK_ASSIGN(const InstanceNormalizationParameters p, instance_normalization_parameters(context.operation));
  const AxisSplit& slices = p.slices;
  const FloatInput in(context, kInput);
  FloatOutput out(context, kOutput);
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
    const float sigma = std::sqrt(squares / count + p.epsilon);
    for (uint64_t i = 0; i < slices.size; ++i) {
      const uint64_t at = first + i * slices.inner;
      out[at] = (in[at] - mean) * p.gamma / sigma + p.beta;
    }
  });
  return {};
}

constexpr KernelRow kRows[] = {
    {OperationCode::kL2Normalization, run_l2_normalization},
    {OperationCode::kLocalResponseNormalization, run_local_response_normalization},
    {OperationCode::kInstanceNormalization, run_instance_normalization},
};

}  // namespace

std::span<const KernelRow> normalization_kernels() { return kRows; }

}  // namespace nnvk::cpu
