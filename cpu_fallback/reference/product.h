// The common part of convolutions and matrix products: operands as plain numbers (halves widened, zero points subtracted), sums,
// and results from sums (bias, scaling, activation). Each output is summed separately, tap by tap, the input channels innermost.
// The code computes 16 outputs side by side, so that the compiler can use vectors without changing any sum.
#pragma once

#include <algorithm>
#include <cstdint>
#include <span>
#include <vector>

#include "core/base/fixed_point.h"
#include "core/operations/parameters/window_parameters.h"
#include "cpu_fallback/reference/tensor_access.h"

namespace nnvk::cpu {

// The arithmetic of FLOAT32 and FLOAT16 products: float32 throughout.
struct FloatMultiplication {
  using Value = float;
  using Sum = float;
  static Sum multiply(Value x, Value w) { return x * w; }
};

// The arithmetic of 8-bit products: differences to the zero point fit 16 bits; sums are 32 bits and wrap.
struct Quant8Multiplication {
  using Value = int16_t;
  using Sum = uint32_t;
  static Sum multiply(Value x, Value w) { return static_cast<uint32_t>(static_cast<int32_t>(x) * w); }
};

// The arithmetic of TENSOR_INT32 products: sums wrap.
struct Int32Multiplication {
  using Value = int32_t;
  using Sum = uint32_t;
  static Sum multiply(Value x, Value w) { return static_cast<uint32_t>(x) * static_cast<uint32_t>(w); }
};

// Outputs computed side by side.
inline constexpr size_t kLanes = 16;

// A filter of shape [outputs, depth] regrouped as [outputs / 16][depth][16]; missing outputs are filled with zeros. The outputs
// are neighbouring channels from `first_channel` on.
template <class Value>
class FilterPanels {
 public:
  FilterPanels() : FilterPanels({}, 0, 0) {}
  FilterPanels(std::span<const Value> filter, size_t outputs, size_t depth, size_t first_channel = 0)
      : first_channel_(first_channel),
        end_channel_(first_channel + outputs),
        depth_(depth),
        panels_((outputs + kLanes - 1) / kLanes),
        values_(panels_ * depth * kLanes) {
    for (size_t k = 0; k < outputs; ++k) {
      for (size_t d = 0; d < depth; ++d) values_[(k / kLanes * depth + d) * kLanes + k % kLanes] = filter[k * depth + d];
    }
  }
  size_t count() const { return panels_; }
  size_t depth() const { return depth_; }
  const Value* panel(size_t p) const { return values_.data() + p * depth_ * kLanes; }
  // These functions return the channels of panel p: [first_channel(p), end_channel(p)).
  size_t first_channel(size_t p) const { return first_channel_ + p * kLanes; }
  size_t end_channel(size_t p) const { return std::min(end_channel_, first_channel(p) + kLanes); }

 private:
  size_t first_channel_;
  size_t end_channel_;
  size_t depth_;
  size_t panels_;
  std::vector<Value> values_;
};

// Computes sums[lane] += x[d] * panel[d][lane] for d = 0 .. depth-1, in this order.
template <class Product>
void add_products(const typename Product::Value* x, const typename Product::Value* panel, size_t depth,
                  typename Product::Sum* sums) {
  typename Product::Sum local[kLanes];
  std::copy_n(sums, kLanes, local);
  for (size_t d = 0; d < depth; ++d) {
    for (size_t lane = 0; lane < kLanes; ++lane) local[lane] += Product::multiply(x[d], panel[d * kLanes + lane]);
  }
  std::copy_n(local, kLanes, sums);
}

// Computes the same sums for floats, with a variable per vector of sums. GCC would move an array of vectors through memory for
// every product, six times slower.
template <>
inline void add_products<FloatMultiplication>(const float* x, const float* panel, size_t depth, float* sums) {
  using Four [[gnu::vector_size(16)]] = float;
  const auto load = [](const float* from) {
    Four four;
    std::memcpy(&four, from, sizeof four);
    return four;
  };
  Four a = load(sums);
  Four b = load(sums + 4);
  Four c = load(sums + 8);
  Four e = load(sums + 12);
  for (size_t d = 0; d < depth; ++d, panel += kLanes) {
    a += x[d] * load(panel);
    b += x[d] * load(panel + 4);
    c += x[d] * load(panel + 8);
    e += x[d] * load(panel + 12);
  }
  const Four all[] = {a, b, c, e};
  std::memcpy(sums, all, sizeof all);
}

// Returns the values of an 8-bit operand minus its zero point (float operands are FloatInput).
std::vector<int16_t> quant8_operand(const KernelContext& context, size_t input);

// An image in dense NHWC order, copied only when the tensor is NCHW.
template <class Value>
class DenseImage {
 public:
  DenseImage(std::span<const Value> values, const Shape& shape, bool nchw) : values_(values) {
    if (!nchw) return;
    const ImageLayout from = image_layout(shape, true);
    copy_.reserve(values.size());
    for_each_pixel(from, [&](uint32_t n, uint32_t y, uint32_t x) {
      for (uint32_t c = 0; c < from.channels; ++c) copy_.push_back(values[from.element(from.pixel(n, y, x), c)]);
    });
    values_ = copy_;
  }
  const Value* data() const { return values_.data(); }

 private:
  std::vector<Value> copy_;
  std::span<const Value> values_;
};

// Turns a sum into a float output element: adds the bias, then applies the activation.
class FloatResult {
 public:
  FloatResult(const KernelContext& context, FusedActivation activation)
      : bias_(context, convolution::kBias), bounds_(float_activation_bounds(activation)), out_(context, convolution::kOutput) {}
  void set(size_t element, size_t channel, float sum) { out_[element] = clamp_float(sum + bias_[channel], bounds_); }

 private:
  FloatInput bias_;
  ActivationBounds bounds_;
  FloatOutput out_;
};

// Turns a sum into an 8-bit output element: adds the bias, scales per tensor or channel, adds the zero point, clamps the result.
class Quant8Result {
 public:
  Quant8Result(const KernelContext& context, FusedActivation activation);
  void set(size_t element, size_t channel, uint32_t sum) {
    const auto total = static_cast<int32_t>(sum + static_cast<uint32_t>(bias_[channel]));
    const int32_t scaled = scale_fixed_point(total, multipliers_.size() == 1 ? multipliers_[0] : multipliers_[channel]);
    out_[element] = static_cast<uint8_t>(into_bounds(scaled, zero_point_, bounds_));
  }

 private:
  std::span<const int32_t> bias_;
  std::vector<FixedPointMultiplier> multipliers_;
  int32_t zero_point_;
  QuantizedBounds bounds_;
  std::span<uint8_t> out_;  // int8 results keep their low byte
};

// Runs kernel(product tag, image values, filter values, result) with the operand kinds of the operation's type.
// FULLY_CONNECTED has the same operand numbers as convolutions.
template <class Kernel>
Status run_product(KernelContext& context, FusedActivation activation, Kernel&& kernel) {
  using namespace convolution;
  if (is_quant8_asymm(context.operation.input(kImage).type)) {
    const std::vector<int16_t> image = quant8_operand(context, kImage);
    const std::vector<int16_t> filter = quant8_operand(context, kFilter);
    Quant8Result result(context, activation);
    kernel(Quant8Multiplication{}, std::span(image), std::span(filter), result);
    return {};
  }
  const FloatInput image(context, kImage);
  const FloatInput filter(context, kFilter);
  FloatResult result(context, activation);
  kernel(FloatMultiplication{}, image.values(), filter.values(), result);
  return {};
}

// Sets `first` to the beginning of input pixel (row, column) in a dense NHWC image. Returns false when the pixel lies outside the
// image.
inline bool find_pixel(const WindowParameters& p, uint32_t n, int64_t row, int64_t column, size_t& first) {
  if (row < 0 || row >= p.in_height || column < 0 || column >= p.in_width) return false;
  first = ((static_cast<size_t>(n) * p.in_height + static_cast<size_t>(row)) * p.in_width + static_cast<size_t>(column)) *
          p.in_channels;
  return true;
}

// Calls fn(tap, pixel) for every cell of the filter that meets the image at output pixel (n, y, x). `tap` counts cells row by
// row; `pixel` is the beginning of the input pixel.
template <class Function>
void for_each_tap(const WindowParameters& p, uint32_t n, uint32_t y, uint32_t x, Function&& fn) {
  DeadlineWatch watch;
  for (uint32_t i = 0; i < p.filter_height; ++i) {
    watch.look();
    const int64_t row = int64_t{y} * p.stride_height - p.pad_top + int64_t{i} * p.dilation_height;
    for (uint32_t j = 0; j < p.filter_width; ++j) {
      const int64_t column = int64_t{x} * p.stride_width - p.pad_left + int64_t{j} * p.dilation_width;
      size_t pixel = 0;
      if (find_pixel(p, n, row, column, pixel)) fn(size_t{i} * p.filter_width + j, pixel);
    }
  }
}

// Computes the sums of products of `rows` rows of values, as deep as the filter, with all its outputs: calls take(row, output,
// sum).
template <class Product, class Take>
void multiply_rows(const typename Product::Value* values, size_t rows, const FilterPanels<typename Product::Value>& filter,
                   Take&& take) {
  DeadlineWatch watch;
  for (size_t panel = 0; panel < filter.count(); ++panel) {
    const size_t first = filter.first_channel(panel);
    const size_t end = filter.end_channel(panel);
    for (size_t row = 0; row < rows; ++row) {
      watch.look();
      typename Product::Sum sums[kLanes] = {};
      add_products<Product>(values + row * filter.depth(), filter.panel(panel), filter.depth(), sums);
      for (size_t k = first; k < end; ++k) take(row, k, sums[k - first]);
    }
  }
}

// Computes the outputs of a convolution in the channels of `filter`. The function add_taps(n, y, x, panel, sums) adds the
// products of one output pixel for the 16 outputs of a panel. The outer loop is over panels, so that a panel stays in the cache
// while the loop reads the image.
template <class Product, class Result, class AddTaps>
void for_each_output(const ImageLayout& to, const FilterPanels<typename Product::Value>& filter, Result& result,
                     AddTaps&& add_taps) {
  for (size_t panel = 0; panel < filter.count(); ++panel) {
    const size_t first = filter.first_channel(panel);
    const size_t end = filter.end_channel(panel);
    for_each_pixel(to, [&](uint32_t n, uint32_t y, uint32_t x) {
      typename Product::Sum sums[kLanes] = {};
      add_taps(n, y, x, filter.panel(panel), sums);
      for (size_t k = first; k < end; ++k) result.set(to.element(to.pixel(n, y, x), k), k, sums[k - first]);
    });
  }
}

}  // namespace nnvk::cpu
