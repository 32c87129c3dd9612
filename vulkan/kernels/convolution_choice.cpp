// Choice of convolution kernels.
#include "vulkan/kernels/convolution_choice.h"

#include <algorithm>

#include "shaders/convolution_params.h"
#include "vulkan/kernels/bounded_work.h"

namespace nnvk::vulkan {
namespace {

uint64_t tiles(uint64_t count, uint64_t tile) { return (count + tile - 1) / tile; }

// Whether, along one axis without padding at its start, no output pixel needs an input pixel beyond the image's end.
bool stays_inside(uint32_t in, uint32_t out, uint32_t filter, int32_t stride, int32_t dilation) {
  return (int64_t{out} - 1) * stride + (int64_t{filter} - 1) * dilation < int64_t{in};
}

uint32_t choose_window(const WindowParameters& w, bool transposed) {
  const bool same_grid = w.filter_height == 1 && w.filter_width == 1 && w.stride_height == 1 && w.stride_width == 1 &&
                         w.pad_top == 0 && w.pad_left == 0 && w.in_height == w.out_height && w.in_width == w.out_width;
  if (same_grid && (w.batches == 1 || !is_planar(w.nchw, w.in_height, w.in_width, w.in_channels))) return kWindowPointwise;
  if (transposed) return kWindowTransposed;
  const bool inside = w.pad_top == 0 && w.pad_left == 0 &&
                      stays_inside(w.in_height, w.out_height, w.filter_height, w.stride_height, w.dilation_height) &&
                      stays_inside(w.in_width, w.out_width, w.filter_width, w.stride_width, w.dilation_width);
  return inside ? kWindowInside : kWindowPadded;
}

// How the kernel writes the output tensor. Four channels of a pixel form whole words only if all pixels start at a multiple of
// four channels. A single pixel may write its last vector into the padding after the tensor.
struct OutputForm {
  bool scalar;
  bool narrow;
};

OutputForm choose_output(const WindowParameters& w, uint64_t pixels, uint32_t element_bytes) {
  const uint32_t group_channels = w.out_channels / static_cast<uint32_t>(w.groups);
  const bool scalar =
      is_planar(w.nchw, w.out_height, w.out_width, w.out_channels) || (group_channels % 4 != 0 && (pixels > 1 || w.groups > 1));
  return {scalar, scalar && element_bytes < 4};
}

bool reads_scalars(const WindowParameters& w) {
  return is_planar(w.nchw, w.in_height, w.in_width, w.in_channels) || w.in_channels / static_cast<uint32_t>(w.groups) % 4 != 0;
}

}  // namespace

bool is_planar(bool nchw, uint32_t height, uint32_t width, uint32_t channels) {
  return nchw && channels > 1 && uint64_t{height} * width > 1;
}

ConvolutionChoice choose_convolution(const WindowParameters& window, bool transposed, uint32_t element_bytes,
                                     const DeviceTraits& traits) {
  ConvolutionChoice choice;
  choice.window = choose_window(window, transposed);
  choice.scalar_input = reads_scalars(window);
  const uint64_t pixels = uint64_t{window.batches} * window.out_height * window.out_width;
  const OutputForm output = choose_output(window, pixels, element_bytes);
  choice.scalar_output = output.scalar;
  choice.narrow = output.narrow;
  const uint32_t group_channels = window.out_channels / static_cast<uint32_t>(window.groups);
  const PhaseGrid grid = phase_grid(window, choice.window == kWindowTransposed);
  choice.tile =
      choose_tile({.pixels = grid.pixels,
                   .repetitions = grid.phases * static_cast<uint64_t>(window.groups),
                   .columns = packed_columns(group_channels),
                   .two_sums = element_bytes == 1 && !fits_exact_sum(uint64_t{window.filter_height} * window.filter_width *
                                                                     (window.in_channels / static_cast<uint32_t>(window.groups))),
                   .scalar_input = choice.scalar_input,
                   .window = choice.window},
                  traits);
  return choice;
}

uint32_t packed_columns(uint32_t group_channels) {
  const uint32_t vectors = (group_channels + 3) / 4;
  return vectors <= 1 ? 1 : kConvolutionTileVectors * ((vectors + kConvolutionTileVectors - 1) / kConvolutionTileVectors);
}

bool fits_exact_sum(uint64_t products) { return products <= kConvolutionExactChannels; }

PhaseGrid phase_grid(const WindowParameters& w, bool transposed) {
  if (!transposed) return {1, uint64_t{w.batches} * w.out_height * w.out_width};
  const auto down = static_cast<uint32_t>(w.stride_height);
  const auto across = static_cast<uint32_t>(w.stride_width);
  return {uint64_t{std::min(down, w.out_height)} * std::min(across, w.out_width),
          w.batches * tiles(w.out_height, down) * tiles(w.out_width, across)};
}

DepthwiseChoice choose_depthwise(const WindowParameters& window, uint32_t element_bytes, const DeviceTraits& traits) {
  DepthwiseChoice choice;
  choice.scalar_input = reads_scalars(window) || window.depth_multiplier != 1;
  const uint64_t pixels = uint64_t{window.batches} * window.out_height * window.out_width;
  const OutputForm output = choose_output(window, pixels, element_bytes);
  choice.scalar_output = output.scalar;
  choice.narrow = output.narrow;
  const bool common = (window.filter_width == 3 || window.filter_width == 5) && window.dilation_width == 1 &&
                      (window.stride_width == 1 || window.stride_width == 2) &&
                      uint64_t{window.filter_height} * window.filter_width <= kMostElementsPerInvocation;
  if (common) {
    choice.filter_width = window.filter_width;
    choice.stride_width = static_cast<uint32_t>(window.stride_width);
  }
  const DepthwiseTile tile = choose_depthwise_tile(window, common, element_bytes == 1, traits);
  choice.tile_pixels = tile.pixels;
  choice.tile_rows = tile.rows;
  return choice;
}

}  // namespace nnvk::vulkan
