// AVERAGE_POOL_2D, MAX_POOL_2D and L2_POOL_2D. Windows are clipped to the image: padding cells take part in neither sum, count
// nor maximum.
#include <algorithm>
#include <cfloat>
#include <cmath>
#include <limits>

#include "core/operations/parameters/window_parameters.h"
#include "cpu_fallback/reference/families.h"
#include "cpu_fallback/reference/tensor_access.h"

namespace nnvk::cpu {
namespace {

// For every output element: value = start, then value = fold(value, cell) over the covered cells in row-major order,
// then out = finish(value, number of cells).
template <class Value, class In, class Out, class Fold, class Finish>
void pool(const KernelContext& context, const WindowParameters& p, const In& in, Out&& out, Value start, Fold&& fold,
          Finish&& finish) {
  const ImageLayout from = image_layout(context.operation.shape(0), p.nchw);
  const ImageLayout to = image_layout(context.outputs[0].info.shape, p.nchw);
  std::vector<Value> values(from.channels);
  for (uint32_t n = 0; n < p.batches; ++n) {
    for (uint32_t y = 0; y < p.out_height; ++y) {
      const int64_t top = static_cast<int64_t>(y) * p.stride_height - p.pad_top;
      const auto first_row = static_cast<uint32_t>(std::max<int64_t>(top, 0));
      const auto end_row = static_cast<uint32_t>(std::min<int64_t>(top + p.filter_height, p.in_height));
      for (uint32_t x = 0; x < p.out_width; ++x) {
        const int64_t left = static_cast<int64_t>(x) * p.stride_width - p.pad_left;
        const auto first_column = static_cast<uint32_t>(std::max<int64_t>(left, 0));
        const auto end_column = static_cast<uint32_t>(std::min<int64_t>(left + p.filter_width, p.in_width));
        std::fill(values.begin(), values.end(), start);
        for (uint32_t row = first_row; row < end_row; ++row) {
          for (uint32_t column = first_column; column < end_column; ++column) {
            const ptrdiff_t cell = from.at(n, row, column);
            for (uint32_t c = 0; c < from.channels; ++c) {
              values[c] = fold(values[c], in[static_cast<size_t>(cell + static_cast<ptrdiff_t>(c) * from.channel_step)]);
            }
          }
        }
        const int64_t count = static_cast<int64_t>(end_row - first_row) * (end_column - first_column);
        const ptrdiff_t target = to.at(n, y, x);
        for (uint32_t c = 0; c < to.channels; ++c) {
          out[static_cast<size_t>(target + static_cast<ptrdiff_t>(c) * to.channel_step)] = finish(values[c], count);
        }
      }
    }
  }
}

// Half away from zero for signed values, half up for unsigned ones: both on raw integers.
int32_t rounded_quotient(int64_t sum, int64_t count) {
  const int64_t half = count / 2;
  return static_cast<int32_t>((sum > 0 ? sum + half : sum - half) / count);
}

Status average_pool(KernelContext& context) {
  NNVK_ASSIGN(const WindowParameters p, pooling_parameters(context.operation));
  const auto activation = static_cast<FusedActivation>(p.activation);
  const OperandInfo& out_info = context.outputs[0].info;
  if (is_quant8_asymm(out_info.type)) {
    const QuantizedBounds bounds = quantized_activation_bounds(activation, out_info.type, out_info.scale, out_info.zero_point);
    return with_quant8_type(out_info.type, [&](auto tag) -> Status {
      using T = decltype(tag);
      pool(
          context, p, context.input<T>(0), context.output<T>(0), int64_t{0}, [](int64_t sum, T cell) { return sum + cell; },
          [=](int64_t sum, int64_t count) {
            return static_cast<T>(std::clamp(rounded_quotient(sum, count), bounds.lo, bounds.hi));
          });
      return {};
    });
  }
  const ActivationBounds bounds = float_activation_bounds(activation);
  const FloatInput in(context, 0);
  FloatOutput out(context, 0);
  pool(
      context, p, in.values(), out.values(), 0.0F, [](float sum, float cell) { return sum + cell; },
      [=](float sum, int64_t count) { return clamp_float(sum / static_cast<float>(count), bounds); });
  out.store();
  return {};
}

Status max_pool(KernelContext& context) {
  NNVK_ASSIGN(const WindowParameters p, pooling_parameters(context.operation));
  const auto activation = static_cast<FusedActivation>(p.activation);
  const OperandInfo& out_info = context.outputs[0].info;
  if (is_quant8_asymm(out_info.type)) {
    const QuantizedBounds bounds = quantized_activation_bounds(activation, out_info.type, out_info.scale, out_info.zero_point);
    return with_quant8_type(out_info.type, [&](auto tag) -> Status {
      using T = decltype(tag);
      pool(
          context, p, context.input<T>(0), context.output<T>(0), std::numeric_limits<T>::min(),
          [](T largest, T cell) { return std::max(largest, cell); },
          [=](T largest, int64_t) { return static_cast<T>(std::clamp<int32_t>(largest, bounds.lo, bounds.hi)); });
      return {};
    });
  }
  const ActivationBounds bounds = float_activation_bounds(activation);
  const FloatInput in(context, 0);
  FloatOutput out(context, 0);
  pool(
      context, p, in.values(), out.values(), -FLT_MAX, [](float largest, float cell) { return std::max(largest, cell); },
      [=](float largest, int64_t) { return clamp_float(largest, bounds); });
  out.store();
  return {};
}

Status l2_pool(KernelContext& context) {
  NNVK_ASSIGN(const WindowParameters p, pooling_parameters(context.operation));
  const ActivationBounds bounds = float_activation_bounds(static_cast<FusedActivation>(p.activation));
  const FloatInput in(context, 0);
  FloatOutput out(context, 0);
  pool(
      context, p, in.values(), out.values(), 0.0F, [](float sum, float cell) { return sum + cell * cell; },
      [=](float sum, int64_t count) { return clamp_float(std::sqrt(sum * (1.0F / static_cast<float>(count))), bounds); });
  out.store();
  return {};
}

constexpr KernelRow kRows[] = {
    {OperationCode::kAveragePool2d, average_pool},
    {OperationCode::kMaxPool2d, max_pool},
    {OperationCode::kL2Pool2d, l2_pool},
};

}  // namespace

std::span<const KernelRow> pooling_kernels() { return kRows; }

}  // namespace nnvk::cpu
