// Strides, layouts, and conversions between stored elements and float32.
#include "cpu_fallback/reference/tensor_access.h"

#include <cmath>
#include <limits>

#include "core/operations/rules/shape_rules.h"

namespace nnvk::cpu {
namespace {

// Calls fn(T{}) with the storage type of a quantized tensor.
template <class Function>
void with_quantized_type(OperandType type, Function&& fn) {
  if (type == OperandType::kTensorQuant16Asymm) return fn(uint16_t{});
  if (type == OperandType::kTensorQuant16Symm) return fn(int16_t{});
  with_quant8_type(type, fn);
}

}  // namespace

Strides broadcast_strides(const Shape& from, const Shape& to) {
  Strides strides(to.rank(), 0);
  const Strides dense = row_major_strides(from);
  const size_t missing = to.rank() - from.rank();
  for (size_t d = 0; d < from.rank(); ++d) {
    if (from[d] != 1) strides[missing + d] = dense[d];
  }
  return strides;
}

ImageLayout image_layout(const Shape& shape, bool nchw) {
  const Strides steps = row_major_strides(shape);
  const LayoutAxes at = layout_axes(nchw);
  return {shape[0], shape[at.height], shape[at.width], shape[at.channels],
          steps[0], steps[at.height], steps[at.width], steps[at.channels]};
}

FloatInput::FloatInput(const KernelContext& context, size_t input) {
  const OperandInfo& info = context.operation.input(input);
  if (info.type == OperandType::kTensorFloat32) {
    values_ = context.input<float>(input);
    return;
  }
  const auto widen = [&](const auto& elements, auto&& to_float) {
    widened_.resize(elements.size());
    std::transform(elements.begin(), elements.end(), widened_.begin(), to_float);
  };
  if (info.type == OperandType::kTensorFloat16) {
    widen(context.input<Half>(input), half_to_float);
  } else {
    with_quantized_type(info.type, [&](auto tag) {
      const auto zero_point = static_cast<float>(info.zero_point);
      widen(context.input<decltype(tag)>(input), [&](auto v) { return (static_cast<float>(v) - zero_point) * info.scale; });
    });
  }
  values_ = widened_;
}

std::vector<float> optional_floats(const KernelContext& context, size_t input) {
  if (!context.operation.has(input)) return {};
  const FloatInput given(context, input);
  return {given.values().begin(), given.values().end()};
}

FloatOutput::FloatOutput(const KernelContext& context, size_t output) {
  if (context.outputs[output].info.type == OperandType::kTensorFloat32) {
    values_ = context.output<float>(output);
    return;
  }
  halves_ = context.output<Half>(output);
  wide_.resize(halves_.size());
  values_ = wide_;
}

FloatOutput::~FloatOutput() { std::transform(wide_.begin(), wide_.end(), halves_.begin(), float_to_half); }

void store_reals(const KernelContext& context, size_t output, std::span<const float> values) {
  if (!context.outputs[output].wanted) return;
  const OperandInfo& info = context.outputs[output].info;
  if (info.type == OperandType::kTensorFloat32) {
    std::copy(values.begin(), values.end(), context.output<float>(output).begin());
  } else if (info.type == OperandType::kTensorFloat16) {
    std::transform(values.begin(), values.end(), context.output<Half>(output).begin(), float_to_half);
  } else {
    with_quantized_type(info.type, [&](auto tag) {
      using T = decltype(tag);
      constexpr auto kLeast = static_cast<float>(std::numeric_limits<T>::min());
      constexpr auto kGreatest = static_cast<float>(std::numeric_limits<T>::max());
      std::transform(values.begin(), values.end(), context.output<T>(output).begin(), [&](float value) {
        const float steps = std::round(value / info.scale + static_cast<float>(info.zero_point));
        return static_cast<T>(std::max(kLeast, std::min(kGreatest, steps)));  // this order sends NaN to the upper limit
      });
    });
  }
}

void store_integers(const KernelContext& context, size_t output, std::span<const int32_t> values) {
  if (!context.outputs[output].wanted) return;
  std::copy(values.begin(), values.end(), context.output<int32_t>(output).begin());
}

}  // namespace nnvk::cpu
