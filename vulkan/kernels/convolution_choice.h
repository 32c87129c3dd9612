// Chooses the form of the convolution kernels for a layer: pure functions over plain numbers, tested without a GPU.
#pragma once

#include <cstdint>

#include "core/operations/parameters/window_parameters.h"
#include "vulkan/kernels/convolution_tile.h"
#include "vulkan/traits/device_traits.h"

namespace nnvk::vulkan {

// Specialization of convolution.comp for one layer.
struct ConvolutionChoice {
  uint32_t window = 0;  // kWindowPointwise ... kWindowTransposed (shaders/convolution_params.h)
  ConvolutionTile tile;
  bool scalar_input = false;   // the kernel reads single elements: channels are not a multiple of four, or lie in planes
  bool scalar_output = false;  // it writes single elements, in 32-bit words, for the same reasons
  bool narrow = false;         // it writes these words to a scratch tensor, and a second kernel converts them to smaller elements
  bool operator==(const ConvolutionChoice&) const = default;
};

// For dense, grouped and transposed convolutions; a fully connected layer is a 1x1 convolution of 1x1 images. `element_bytes`: of
// the output.
ConvolutionChoice choose_convolution(const WindowParameters& window, bool transposed, uint32_t element_bytes,
                                     const DeviceTraits& traits);

// Vectors of four output channels per row of packed weights, for a group with `group_channels` of them.
uint32_t packed_columns(uint32_t group_channels);

// Whether a float holds the sum of this many products of two 8-bit values exactly.
bool fits_exact_sum(uint64_t products);

// The output pixels of a transposed convolution, split into phases that use the same filter taps (ConvolutionParams).
struct PhaseGrid {
  uint64_t phases = 1;
  uint64_t pixels = 0;  // per phase, including those beyond the image
};
PhaseGrid phase_grid(const WindowParameters& window, bool transposed);

// Specialization of depthwise.comp for one layer.
struct DepthwiseChoice {
  uint32_t tile_pixels = 1;   // neighbouring output pixels of a row per invocation: 1, 2, 4 or 8
  uint32_t filter_width = 0;  // 3 or 5: filter rows are unrolled and input columns read once; 0: any filter
  uint32_t stride_width = 1;  // with a filter_width: 1 or 2
  bool scalar_input = false;
  bool scalar_output = false;
  bool narrow = false;
  uint32_t tile_rows = 1;  // output rows per invocation: 1, 2 or 4; above 1 only with a filter_width
  bool operator==(const DepthwiseChoice&) const = default;
};

DepthwiseChoice choose_depthwise(const WindowParameters& window, uint32_t element_bytes, const DeviceTraits& traits);

// Whether NCHW and NHWC differ for an image of this size: they are equal with one pixel or one channel.
bool is_planar(bool nchw, uint32_t height, uint32_t width, uint32_t channels);

}  // namespace nnvk::vulkan
