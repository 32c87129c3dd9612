// Conversions between stored elements and float32.
#include "cpu_fallback/reference/real_access.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "core/base/half.h"

namespace nnvk::cpu {
namespace {

// Calls fn(T{}) with the storage type of a quantized tensor.
template <class Function>
void with_storage_type(OperandType type, Function&& fn) {
  switch (type) {
    case OperandType::kTensorQuant8Asymm:
      return fn(uint8_t{});
    case OperandType::kTensorQuant16Asymm:
      return fn(uint16_t{});
    case OperandType::kTensorQuant16Symm:
      return fn(int16_t{});
    default:
      return fn(int8_t{});
  }
}

}  // namespace

RealInput::RealInput(const KernelContext& context, size_t input) {
  const OperandInfo& info = context.operation.input(input);
  if (info.type == OperandType::kTensorFloat32) {
    values_ = context.input<float>(input);
    return;
  }
  if (info.type == OperandType::kTensorFloat16) {
    for (const uint16_t half : context.input<uint16_t>(input)) widened_.push_back(half_to_float(half));
  } else {
    with_storage_type(info.type, [&](auto tag) {
      const auto zero_point = static_cast<float>(info.zero_point);
      for (const auto v : context.input<decltype(tag)>(input)) {
        widened_.push_back((static_cast<float>(v) - zero_point) * info.scale);
      }
    });
  }
  values_ = widened_;
}

int32_t quantize_real(float value, const OperandInfo& info) {
  int32_t quantized = 0;
  with_storage_type(info.type, [&](auto tag) {
    using Limits = std::numeric_limits<decltype(tag)>;
    const float steps = std::round(value / info.scale + static_cast<float>(info.zero_point));
    // This order of the comparisons sends NaN to the upper limit.
    quantized =
        static_cast<int32_t>(std::max(static_cast<float>(Limits::min()), std::min(static_cast<float>(Limits::max()), steps)));
  });
  return quantized;
}

void store_reals(const KernelContext& context, size_t output, std::span<const float> values) {
  if (!context.outputs[output].wanted) return;
  const OperandInfo& info = context.outputs[output].info;
  if (info.type == OperandType::kTensorFloat32) {
    std::copy(values.begin(), values.end(), context.output<float>(output).begin());
  } else if (info.type == OperandType::kTensorFloat16) {
    std::transform(values.begin(), values.end(), context.output<uint16_t>(output).begin(), float_to_half);
  } else {
    with_storage_type(info.type, [&](auto tag) {
      using T = decltype(tag);
      std::transform(values.begin(), values.end(), context.output<T>(output).begin(),
                     [&](float value) { return static_cast<T>(quantize_real(value, info)); });
    });
  }
}

void store_integers(const KernelContext& context, size_t output, std::span<const int32_t> values) {
  if (!context.outputs[output].wanted) return;
  std::copy(values.begin(), values.end(), context.output<int32_t>(output).begin());
}

}  // namespace nnvk::cpu
