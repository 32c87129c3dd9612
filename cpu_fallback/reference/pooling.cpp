// AVERAGE_POOL_2D, MAX_POOL_2D and L2_POOL_2D. Padding cells take part in neither sum, count nor maximum.
#include <algorithm>
#include <cmath>
#include <functional>
#include <limits>

#include "core/operations/parameters/window_parameters.h"
#include "cpu_fallback/reference/families.h"
#include "cpu_fallback/reference/tensor_access.h"

namespace nnvk::cpu {
namespace {

// Returns the limits that the activation puts on elements of type T.
template <class T>
auto activation_limits(FusedActivation activation, const OperandInfo& out) {
  if constexpr (std::is_same_v<T, float>) {
    return float_activation_bounds(activation);
  } else {
    return quantized_activation_bounds(activation, out.type, out.scale, out.zero_point);
  }
}

// Folds the cells under the window of each output element; finish(value, number of cells) gives the result before the activation.
template <class T, class Value, class Fold, class Finish>
Status pool(const KernelContext& context, const WindowParameters& p, std::span<const T> in, std::span<T> out,
            const Folding<Value, Fold, Finish>& folding) {
  const OperandInfo& out_info = context.outputs[pooling::kOutput].info;
  const auto limits = activation_limits<T>(p.activation, out_info);
  const ImageLayout from = image_layout(context.operation.shape(pooling::kImage), p.nchw);
  const ImageLayout to = image_layout(out_info.shape, p.nchw);
  std::vector<Value> values(from.channels);
  DeadlineWatch watch;
  for_each_pixel(to, [&](uint32_t n, uint32_t y, uint32_t x) {
    const int64_t top = static_cast<int64_t>(y) * p.stride_height - p.pad_top;
    const int64_t left = static_cast<int64_t>(x) * p.stride_width - p.pad_left;
    const auto first_row = static_cast<uint32_t>(std::max<int64_t>(top, 0));
    const auto end_row = static_cast<uint32_t>(std::min<int64_t>(top + p.filter_height, p.in_height));
    const auto first_column = static_cast<uint32_t>(std::max<int64_t>(left, 0));
    const auto end_column = static_cast<uint32_t>(std::min<int64_t>(left + p.filter_width, p.in_width));
    std::fill(values.begin(), values.end(), folding.start);
    for (uint32_t row = first_row; row < end_row; ++row) {
      watch.look();
      for (uint32_t column = first_column; column < end_column; ++column) {
        const int64_t cell = from.pixel(n, row, column);
        for (uint32_t c = 0; c < from.channels; ++c) values[c] = folding.fold(values[c], in[from.element(cell, c)]);
      }
    }
    const int64_t count = static_cast<int64_t>(end_row - first_row) * (end_column - first_column);
    const int64_t target = to.pixel(n, y, x);
    for (uint32_t c = 0; c < to.channels; ++c) {
      // NOLINTNEXTLINE(bugprone-signed-char-misuse): both kinds of bytes are numbers
      const auto result = static_cast<decltype(limits.lo)>(folding.finish(values[c], count));
      out[to.element(target, c)] = static_cast<T>(std::clamp(result, limits.lo, limits.hi));
    }
  });
  return {};
}

// Returns the rounded quotient of raw integers: halves away from zero for signed values, halves up for unsigned ones.
int32_t rounded_quotient(int64_t sum, int64_t count) {
  const int64_t half = count / 2;
  return static_cast<int32_t>((sum > 0 ? sum + half : sum - half) / count);
}

Status average_pool(KernelContext& context) {
  NNVK_ASSIGN(const WindowParameters p, window_parameters(context.operation));
  return with_floats_or_bytes(context, [&](auto tag, auto in, auto out) {
    if constexpr (std::is_same_v<decltype(tag), float>) {
      const auto mean = [](float sum, int64_t count) { return sum / static_cast<float>(count); };
      return pool<float>(context, p, in, out, Folding{0.0F, std::plus<float>(), mean});
    } else {
      return pool<decltype(tag)>(context, p, in, out, Folding{int64_t{0}, std::plus<int64_t>(), rounded_quotient});
    }
  });
}

Status max_pool(KernelContext& context) {
  NNVK_ASSIGN(const WindowParameters p, window_parameters(context.operation));
  return with_floats_or_bytes(context, [&](auto tag, auto in, auto out) {
    using T = decltype(tag);
    const auto larger = [](T largest, T cell) { return std::max(largest, cell); };
    const auto itself = [](T largest, int64_t) { return largest; };
    return pool<T>(context, p, in, out, Folding{std::numeric_limits<T>::lowest(), larger, itself});
  });
}

Status l2_pool(KernelContext& context) {
  NNVK_ASSIGN(const WindowParameters p, window_parameters(context.operation));
  const auto add_square = [](float sum, float cell) { return sum + cell * cell; };
  const auto root_of_mean = [](float sum, int64_t count) { return std::sqrt(sum * (1.0F / static_cast<float>(count))); };
  const FloatInput in(context, pooling::kImage);
  FloatOutput out(context, pooling::kOutput);
  return pool<float>(context, p, in.values(), out.values(), Folding{0.0F, add_square, root_of_mean});
}

constexpr KernelRow kRows[] = {
    {OperationCode::kAveragePool2d, average_pool},
    {OperationCode::kMaxPool2d, max_pool},
    {OperationCode::kL2Pool2d, l2_pool},
};

}  // namespace

std::span<const KernelRow> pooling_kernels() { return kRows; }

}  // namespace nnvk::cpu
