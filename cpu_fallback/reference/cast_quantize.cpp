// QUANTIZE, DEQUANTIZE and CAST: conversions between element types.
#include <algorithm>
#include <cmath>
#include <limits>

#include "core/operations/parameters/cast_quantize_parameters.h"
#include "cpu_fallback/reference/families.h"
#include "cpu_fallback/reference/tensor_access.h"

namespace nnvk::cpu {
namespace {
using namespace cast_quantize;

Status quantize(KernelContext& context) {
  const FloatInput in(context, kInput);
  const OperandInfo& out = context.outputs[kOutput].info;
  return with_quant8_type(out.type, [&](auto tag) -> Status {
    using T = decltype(tag);
    const auto least = static_cast<float>(std::numeric_limits<T>::min());
    const auto greatest = static_cast<float>(std::numeric_limits<T>::max());
    const auto zero_point = static_cast<float>(out.zero_point);
    const auto values = context.output<T>(kOutput);
    for_each_index(values.size(), [&](size_t i) {
      const float q = zero_point + std::round(in[i] / out.scale);
      values[i] = static_cast<T>(std::max(least, std::min(greatest, q)));  // this order sends NaN to the upper limit
    });
    return {};
  });
}

Status dequantize(KernelContext& context) {
  NNVK_ASSIGN(const DequantizeParameters parameters, dequantize_parameters(context.operation));
  FloatOutput out(context, kOutput);
  with_quant8_type(context.operation.input(kInput).type, [&](auto tag) {
    const auto values = context.input<decltype(tag)>(kInput);
    const DequantizeParameters& p = parameters;
    if (p.channel_scales.empty()) {
      for_each_index(values.size(), [&](size_t i) { out[i] = p.scale * static_cast<float>(values[i] - p.zero_point); });
      return;
    }
    for_each_index(values.size(), [&](size_t i) {
      out[i] = p.channel_scales[i / p.channels.inner % p.channels.size] * static_cast<float>(values[i]);
    });
  });
  return {};
}

// Converts one element of CAST. Floats become integers by truncation; values out of range are clamped, and NaN gives 0.
template <class To, class From>
To convert_element(From value) {
  if constexpr (std::is_same_v<To, float>) {
    return static_cast<float>(value);
  } else {
    const auto wide = static_cast<double>(value);
    if (std::isnan(wide)) return 0;
    constexpr double kLeast = std::numeric_limits<To>::min();
    constexpr double kGreatest = std::numeric_limits<To>::max();
    return static_cast<To>(std::clamp(wide, kLeast, kGreatest));
  }
}

Status cast(KernelContext& context) {
  if (context.operation.input(kInput).type == context.outputs[kOutput].info.type) {
    const auto bytes = context.operation.inputs[kInput].value;
    std::copy(bytes.begin(), bytes.end(), context.outputs[kOutput].data.begin());
    return {};
  }
  with_input(context, kInput, [&](auto in) {
    with_output(context, kOutput, [&](auto out) {
      using To = typename decltype(out)::value_type;
      for_each_index(in.size(), [&](size_t i) { out[i] = convert_element<To>(in[i]); });
    });
  });
  return {};
}

constexpr KernelRow kRows[] = {
    {OperationCode::kQuantize, quantize},
    {OperationCode::kDequantize, dequantize},
    {OperationCode::kCast, cast},
};

}  // namespace

std::span<const KernelRow> cast_quantize_kernels() { return kRows; }

}  // namespace nnvk::cpu
