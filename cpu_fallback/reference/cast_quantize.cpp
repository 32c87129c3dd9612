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
    for (size_t i = 0; i < values.size(); ++i) {
      const float q = zero_point + std::round(in[i] / out.scale);
      values[i] = static_cast<T>(std::max(least, std::min(greatest, q)));  // this order sends NaN to the upper limit
    }
    return {};
  });
}

Status dequantize(KernelContext& context) {
  NNVK_ASSIGN(const DequantizeParameters parameters, dequantize_parameters(context.operation));
  FloatOutput out(context, kOutput);
  with_quant8_type(context.operation.input(kInput).type, [&](auto tag) {
    const auto values = context.input<decltype(tag)>(kInput);
    const auto [scale, zero_point, channel_scales, channels] = parameters;
    if (channel_scales.empty()) {
      for (size_t i = 0; i < values.size(); ++i) out[i] = scale * static_cast<float>(values[i] - zero_point);
      return;
    }
    for (size_t i = 0; i < values.size(); ++i) {
      out[i] = channel_scales[i / channels.inner % channels.size] * static_cast<float>(values[i]);
    }
  });
  return {};
}

// One element of CAST. Floats go to integers by truncation; far values and NaN are brought into range (NaN gives 0).
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
      std::transform(in.begin(), in.end(), out.begin(), [](auto value) { return convert_element<To>(value); });
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
