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

// What becomes of the cells that a window covers: value = start, then value = fold(value, cell) for each in row-major order, then
// finish(value, number of cells).
template <class Value, class Fold, class Finish>
struct Folding {
  Value start;
  Fold fold;
  Finish finish;
};
template <class Value, class Fold, class Finish>
Folding(Value, Fold, Finish) -> Folding<Value, Fold, Finish>;

// Every output element.
template <class In, class Out, class Value, class Fold, class Finish>
void pool(const KernelContext& context, const WindowParameters& p, const In& in, Out&& out,
          const Folding<Value, Fold, Finish>& folding) {
  const ImageLayout from = image_layout(context.operation.shape(pooling::kImage), p.nchw);
  const ImageLayout to = image_layout(context.outputs[pooling::kOutput].info.shape, p.nchw);
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
        std::fill(values.begin(), values.end(), folding.start);
        for (uint32_t row = first_row; row < end_row; ++row) {
          for (uint32_t column = first_column; column < end_column; ++column) {
            const ptrdiff_t cell = from.at(n, row, column);
            for (uint32_t c = 0; c < from.channels; ++c) {
              values[c] = folding.fold(values[c], in[static_cast<size_t>(cell + static_cast<ptrdiff_t>(c) * from.channel_step)]);
            }
          }
        }
        const int64_t count = static_cast<int64_t>(end_row - first_row) * (end_column - first_column);
        const ptrdiff_t target = to.at(n, y, x);
        for (uint32_t c = 0; c < to.channels; ++c) {
          out[static_cast<size_t>(target + static_cast<ptrdiff_t>(c) * to.channel_step)] = folding.finish(values[c], count);
        }
      }
    }
  }
}

// Float pooling; finish gives the result before the activation.
template <class Fold, class Finish>
Status pool_floats(const KernelContext& context, const WindowParameters& p, const Folding<float, Fold, Finish>& folding) {
  const ActivationBounds bounds = float_activation_bounds(p.activation);
  const FloatInput in(context, pooling::kImage);
  FloatOutput out(context, pooling::kOutput);
  const auto finish = [&](float value, int64_t count) { return clamp_float(folding.finish(value, count), bounds); };
  pool(context, p, in.values(), out.values(), Folding{folding.start, folding.fold, finish});
  out.store();
  return {};
}

// 8-bit pooling of elements T with `Value` between start and finish.
template <class T, class Value, class Fold, class Finish>
Status pool_bytes(const KernelContext& context, const WindowParameters& p, const Folding<Value, Fold, Finish>& folding) {
  const OperandInfo& out = context.outputs[pooling::kOutput].info;
  const QuantizedBounds bounds = quantized_activation_bounds(p.activation, out.type, out.scale, out.zero_point);
  const auto finish = [&](Value value, int64_t count) {
    return static_cast<T>(std::clamp<int32_t>(folding.finish(value, count), bounds.lo, bounds.hi));
  };
  pool(context, p, context.input<T>(pooling::kImage), context.output<T>(pooling::kOutput),
       Folding{folding.start, folding.fold, finish});
  return {};
}

// Half away from zero for signed values, half up for unsigned ones: both on raw integers.
int32_t rounded_quotient(int64_t sum, int64_t count) {
  const int64_t half = count / 2;
  return static_cast<int32_t>((sum > 0 ? sum + half : sum - half) / count);
}

Status average_pool(KernelContext& context) {
  NNVK_ASSIGN(const WindowParameters p, window_parameters(context.operation));
  const OperandType type = context.outputs[pooling::kOutput].info.type;
  if (is_quant8_asymm(type)) {
    return with_quant8_type(type, [&](auto tag) {
      using T = decltype(tag);
      const auto add = [](int64_t sum, T cell) { return sum + cell; };
      return pool_bytes<T>(context, p, Folding{int64_t{0}, add, rounded_quotient});
    });
  }
  const auto add = [](float sum, float cell) { return sum + cell; };
  const auto mean = [](float sum, int64_t count) { return sum / static_cast<float>(count); };
  return pool_floats(context, p, Folding{0.0F, add, mean});
}

Status max_pool(KernelContext& context) {
  NNVK_ASSIGN(const WindowParameters p, window_parameters(context.operation));
  const auto larger = [](auto largest, auto cell) { return std::max(largest, cell); };
  const auto itself = [](auto largest, int64_t) { return largest; };
  const OperandType type = context.outputs[pooling::kOutput].info.type;
  if (is_quant8_asymm(type)) {
    return with_quant8_type(type, [&](auto tag) {
      using T = decltype(tag);
      return pool_bytes<T>(context, p, Folding{std::numeric_limits<T>::min(), larger, itself});
    });
  }
  return pool_floats(context, p, Folding{-FLT_MAX, larger, itself});
}

Status l2_pool(KernelContext& context) {
  NNVK_ASSIGN(const WindowParameters p, window_parameters(context.operation));
  const auto add_square = [](float sum, float cell) { return sum + cell * cell; };
  const auto root_of_mean = [](float sum, int64_t count) { return std::sqrt(sum * (1.0F / static_cast<float>(count))); };
  return pool_floats(context, p, Folding{0.0F, add_square, root_of_mean});
}

constexpr KernelRow kRows[] = {
    {OperationCode::kAveragePool2d, average_pool},
    {OperationCode::kMaxPool2d, max_pool},
    {OperationCode::kL2Pool2d, l2_pool},
};

}  // namespace

std::span<const KernelRow> pooling_kernels() { return kRows; }

}  // namespace nnvk::cpu
