// The sets of windows, images and types.
#include "tools/conformance/generators/windows.h"

#include <algorithm>
#include <cmath>

namespace nnvk::tools::conformance {
namespace {

constexpr uint64_t kLongSum = 64;

Tensor bias_for(const Tensor& input, const Tensor& filter, uint32_t channels) {
  if (input.scale == 0) return tensor(input.type, {channels});
  if (!filter.channel_scales.empty()) return tensor(kInt32, {channels});  // its scales follow from the filter's
  return tensor(kInt32, {channels}).quantized(input.scale * filter.scale, 0);
}

}  // namespace

std::vector<Window> windows(bool dilated) {
  std::vector<Window> result{
      {.name = "same", .implicit_padding = 1},
      {.name = "valid", .implicit_padding = 2},
      {.name = "same_stride_2", .implicit_padding = 1, .stride_width = 2, .stride_height = 2, .filter_width = 3},
      {.name = "valid_stride_1x2", .implicit_padding = 2, .stride_height = 2},
      {.name = "valid_1x1", .implicit_padding = 2, .filter_width = 1, .filter_height = 1},
      {.name = "none", .paddings = {0, 0, 0, 0}},
      {.name = "left_and_bottom", .paddings = {1, 0, 0, 2}},
      {.name = "all_around_stride_2x1", .paddings = {1, 1, 1, 1}, .stride_width = 2, .filter_width = 3},
  };
  if (!dilated) return result;
  result.push_back({.name = "same_dilated", .implicit_padding = 1, .dilation = 2});
  result.push_back({.name = "around_dilated", .paddings = {1, 2, 0, 1}, .filter_height = 2, .dilation = 2});
  return result;
}

void declare_padding_and_strides(Draft& c, const Window& window) {
  if (window.implicit_padding != 0) {
    c.int32(window.implicit_padding);
  } else {
    for (const int32_t padding : window.paddings) c.int32(padding);
  }
  c.int32(window.stride_width);
  c.int32(window.stride_height);
}

Dims image_dims(const Dims& nhwc, bool nchw) { return nchw ? Dims{nhwc[0], nhwc[3], nhwc[1], nhwc[2]} : nhwc; }

std::vector<Dims> image_shapes() { return {{1, 5, 7, 3}, {2, 4, 8, 4}, {1, 9, 3, 17}, {1, 4, 5, 1}, {1, 5, 17, 8}}; }

std::vector<ConvolutionTypes> convolution_types() {
  return {{"float32", kFloat32, kFloat32},
          {"float16", kFloat16, kFloat16},
          {"quant8", kQuant8, kQuant8},
          {"quant8_channel", kQuant8, kQuant8Channel},
          {"quant8_signed", kQuant8Signed, kQuant8Signed},
          {"quant8_signed_channel", kQuant8Signed, kQuant8Channel}};
}

Window square_window(uint32_t size) { return {.paddings = {0, 0, 0, 0}, .filter_width = size, .filter_height = size}; }

void declare_dilations(Draft& c, const Window& window) {
  const int32_t height = window.dilation_height == 0 ? window.dilation : window.dilation_height;
  if (window.dilation == 1 && height == 1) return;
  c.int32(window.dilation);
  c.int32(height);
}

Values factor_values(int32_t type, uint64_t products) {
  return products > kLongSum && tensor(type, {}).scale == 0 && type != kInt32 ? reals(-1, 1) : Values{};
}

void declare_factors(Draft& c, const Tensor& input, const Tensor& filter, uint32_t channels, bool given_weights) {
  const Values values = factor_values(input.type, element_count(filter.dims) / channels);
  if (element_count(input.dims) == 0) {
    c.empty(input);
  } else {
    c.input(input, values);
  }
  c.weight(filter, values, given_weights);
  c.weight(bias_for(input, filter, channels), input.scale == 0 ? values : stored(-500, 500), given_weights);
}

void declare_sum(Draft& c, const Tensor& input, const Tensor& filter, uint64_t products) {
  const Tensor plain = tensor(input.type, {});
  const auto count = static_cast<double>(products);
  if (input.type == kFloat32) c.tolerance(std::clamp(1e-6 * count, 1e-4, 0.02), products > 2000 ? 1e-4 : 1e-5);
  if (input.type == kFloat16) c.tolerance(products > 2000 ? 0.3 : 0.01, products > 2000 ? 0.01 : 0.005);
  if (plain.scale == 0) return static_cast<void>(c.output(plain));
  const float filter_scale = filter.channel_scales.empty() ? filter.scale : filter.channel_scales[0];
  const double spread = input.scale * filter_scale * 42.5 * std::sqrt(count);
  c.output(plain.quantized(products > kLongSum ? static_cast<float>(spread) : 0.5f, plain.zero_point));
}

}  // namespace nnvk::tools::conformance
