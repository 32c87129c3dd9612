// QUANTIZE, DEQUANTIZE and CAST: conversions between element types.
#include <algorithm>
#include <cmath>
#include <limits>

#include "cpu_fallback/reference/families.h"
#include "cpu_fallback/reference/tensor_access.h"

namespace nnvk::cpu {
namespace {

Status quantize(KernelContext& context) {
  const FloatInput in(context, 0);
  const OperandInfo& out = context.outputs[0].info;
  return with_quant8_type(out.type, [&](auto tag) -> Status {
    using T = decltype(tag);
    const auto least = static_cast<float>(std::numeric_limits<T>::min());
    const auto greatest = static_cast<float>(std::numeric_limits<T>::max());
    const auto zero_point = static_cast<float>(out.zero_point);
    const auto values = context.output<T>(0);
    for (size_t i = 0; i < values.size(); ++i) {
      const float q = zero_point + std::round(in[i] / out.scale);
      values[i] = static_cast<T>(std::max(least, std::min(greatest, q)));  // this order sends NaN to the upper limit
    }
    return {};
  });
}

template <class T>
void dequantize_as(const KernelContext& context, int32_t zero_point, FloatOutput& out) {
  const OperandInfo& in = context.operation.input(0);
  const auto values = context.input<T>(0);
  if (in.channel_quant == nullptr) {
    for (size_t i = 0; i < values.size(); ++i) out[i] = in.scale * static_cast<float>(values[i] - zero_point);
    return;
  }
  const AxisSplit split = split_at_axis(in.shape, in.channel_quant->channel_dim);
  for (size_t i = 0; i < values.size(); ++i) {
    out[i] = in.channel_quant->scales[i / split.inner % split.size] * static_cast<float>(values[i]);
  }
}

Status dequantize(KernelContext& context) {
  const OperandInfo& in = context.operation.input(0);
  FloatOutput out(context, 0);
  const bool symmetric = in.type == OperandType::kTensorQuant8Symm || in.type == OperandType::kTensorQuant8SymmPerChannel;
  if (in.type == OperandType::kTensorQuant8Asymm) {
    dequantize_as<uint8_t>(context, in.zero_point, out);
  } else {
    dequantize_as<int8_t>(context, symmetric ? 0 : in.zero_point, out);
  }
  out.store();
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

template <class To, class From>
void convert_all(std::span<const From> in, std::span<To> out) {
  for (size_t i = 0; i < out.size(); ++i) out[i] = convert_element<To>(in[i]);
}

template <class From>
Status cast_from(KernelContext& context, std::span<const From> in) {
  switch (context.outputs[0].info.type) {
    case OperandType::kTensorFloat32:
    case OperandType::kTensorFloat16: {
      FloatOutput out(context, 0);
      convert_all<float, From>(in, out.values());
      out.store();
      return {};
    }
    case OperandType::kTensorInt32:
      convert_all<int32_t, From>(in, context.output<int32_t>(0));
      return {};
    case OperandType::kTensorQuant8Asymm:
      convert_all<uint8_t, From>(in, context.output<uint8_t>(0));
      return {};
    default:
      return fail(Code::kOpFailed, "no conversion to " + operand_type_name(context.outputs[0].info.type));
  }
}

Status cast(KernelContext& context) {
  const OperandType from = context.operation.input(0).type;
  if (from == context.outputs[0].info.type) {
    const auto bytes = context.operation.inputs[0].value;
    std::copy(bytes.begin(), bytes.end(), context.outputs[0].data.begin());
    return {};
  }
  switch (from) {
    case OperandType::kTensorFloat32:
    case OperandType::kTensorFloat16:
      return cast_from(context, FloatInput(context, 0).values());
    case OperandType::kTensorInt32:
      return cast_from(context, context.input<int32_t>(0));
    case OperandType::kTensorQuant8Asymm:
      return cast_from(context, context.input<uint8_t>(0));
    default:
      return fail(Code::kOpFailed, "no conversion from " + operand_type_name(from));
  }
}

constexpr KernelRow kRows[] = {
    {OperationCode::kQuantize, quantize},
    {OperationCode::kDequantize, dequantize},
    {OperationCode::kCast, cast},
};

}  // namespace

std::span<const KernelRow> cast_quantize_kernels() { return kRows; }

}  // namespace nnvk::cpu
