// The sets of windows, images and types.
#include "tools/conformance/generators/windows.h"

namespace nnvk::tools::conformance {

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

Tensor bias_for(const Tensor& input, const Tensor& filter, uint32_t channels) {
  if (input.scale == 0) return tensor(input.type, {channels});
  if (!filter.channel_scales.empty()) return tensor(kInt32, {channels});  // its scales follow from the filter's
  return tensor(kInt32, {channels}).quantized(input.scale * filter.scale, 0);
}

std::vector<ConvolutionTypes> convolution_types() {
  return {{"float32", kFloat32, kFloat32},
          {"float16", kFloat16, kFloat16},
          {"quant8", kQuant8, kQuant8},
          {"quant8_channel", kQuant8, kQuant8Channel},
          {"quant8_signed", kQuant8Signed, kQuant8Signed},
          {"quant8_signed_channel", kQuant8Signed, kQuant8Channel}};
}

Tensor sum_output(int32_t type) {
  const Tensor plain = tensor(type, {});
  return plain.scale == 0 ? plain : plain.quantized(0.5f, plain.zero_point);
}

}  // namespace nnvk::tools::conformance
