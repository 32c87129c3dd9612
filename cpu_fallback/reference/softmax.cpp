#include <algorithm>
#include <cmath>

#include "core/base/fixed_point.h"
#include "core/base/quantized_softmax.h"
#include "core/operations/parameters/softmax_parameters.h"
#include "cpu_fallback/reference/families.h"
#include "cpu_fallback/reference/tensor_access.h"

namespace nnvk::cpu {
namespace {

Status float_softmax(KernelContext& context, float beta, const AxisSplit& split) {
  const FloatInput in(context, softmax::kInput);
  FloatOutput out(context, softmax::kOutput);
  for_each_slice(split, [&](uint64_t first) {
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
      value = split.inner == 1 ? value * reciprocal : value / sum;  // the specification multiplies for the last axis
    }
  });
  return {};
}

// Computes one slice. `exponentials[k]` belongs to a value k below the slice's largest; 0 marks values too far below to count.
template <class T>
void quant8_softmax_slice(std::span<const T> in, std::span<T> out, size_t first, AxisSplit split,
                          const SoftmaxTable& exponentials) {
  constexpr int32_t kOffset = std::is_signed_v<T> ? 128 : 0;
  int32_t largest = in[first];  // NOLINT(bugprone-signed-char-misuse): both kinds of bytes are numbers
  for (size_t i = 1; i < split.size; ++i) largest = std::max<int32_t>(largest, in[first + i * split.inner]);
  const auto exponential = [&](size_t at) { return exponentials[static_cast<size_t>(largest - in[at])]; };

  uint64_t sum = 0;
  for (size_t i = 0; i < split.size; ++i) {
    sum += static_cast<uint64_t>(rounding_shift_right(exponential(first + i * split.inner), 12));
  }
  const SoftmaxReciprocal reciprocal = softmax_reciprocal(sum);
  for (size_t i = 0; i < split.size; ++i) {
    const size_t at = first + i * split.inner;
    const int32_t product = multiply_high(reciprocal.mantissa, exponential(at));
    const int32_t q = reciprocal.shift > 31 ? 0 : clamp_int(rounding_shift_right(product, reciprocal.shift), 0, 255);
    out[at] = static_cast<T>(q - kOffset);
  }
}

Status quant8_softmax(KernelContext& context, float beta, const AxisSplit& split) {
  const OperandInfo& in = context.operation.input(softmax::kInput);
  NNVK_ASSIGN(const SoftmaxTable exponentials, quantized_softmax_table(in.scale, beta));
  return with_quant8_type(in.type, [&](auto tag) -> Status {
    using T = decltype(tag);
    for_each_slice(split, [&](uint64_t first) {
      quant8_softmax_slice<T>(context.input<T>(softmax::kInput), context.output<T>(softmax::kOutput), first, split, exponentials);
    });
    return {};
  });
}

Status run_softmax(KernelContext& context) {
  NNVK_ASSIGN(const SoftmaxParameters p, softmax_parameters(context.operation));
  const bool is_quantized = is_quant8_asymm(context.operation.input(softmax::kInput).type);
  return is_quantized ? quant8_softmax(context, p.beta, p.split) : float_softmax(context, p.beta, p.split);
}

// Computes exp and log in double, the sum and the differences in float.
Status run_log_softmax(KernelContext& context) {
  NNVK_ASSIGN(const SoftmaxParameters p, softmax_parameters(context.operation));
  const AxisSplit& split = p.split;
  const FloatInput in(context, softmax::kInput);
  FloatOutput out(context, softmax::kOutput);
  for_each_slice(split, [&](uint64_t first) {
    float largest = in[first];
    for (size_t i = 1; i < split.size; ++i) largest = std::max(largest, in[first + i * split.inner]);
    const auto exponent = [&](size_t i) { return (in[first + i * split.inner] - largest) * p.beta; };
    float sum = 0.0F;
    for (size_t i = 0; i < split.size; ++i) sum = static_cast<float>(sum + std::exp(static_cast<double>(exponent(i))));
    const auto log_sum = static_cast<float>(std::log(static_cast<double>(sum)));
    for (size_t i = 0; i < split.size; ++i) out[first + i * split.inner] = exponent(i) - log_sum;
  });
  return {};
}

constexpr KernelRow kRows[] = {{OperationCode::kSoftmax, run_softmax}, {OperationCode::kLogSoftmax, run_log_softmax}};

}  // namespace

std::span<const KernelRow> softmax_kernels() { return kRows; }

}  // namespace nnvk::cpu
