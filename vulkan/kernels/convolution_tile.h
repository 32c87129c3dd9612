// How many output pixels and channels one invocation of the convolution kernels computes. Pure, tested without a GPU.
#pragma once

#include <cstdint>

#include "core/operations/parameters/window_parameters.h"
#include "vulkan/kernels/device_traits.h"

namespace nnvk::vulkan {

struct ConvolutionTile {
  uint32_t pixels = 1;   // output pixels per invocation: 1, 2, 4, 8 or 16
  uint32_t vectors = 1;  // output channels per invocation, in vectors of four: 1 or 2
  uint32_t sharers =
      1;  // consecutive invocations that read the input of the tile's pixels together; above 1: needs subgroup shuffles
  bool operator==(const ConvolutionTile&) const = default;
};

// What a convolution, or a product of rows with a matrix, leaves to choose.
struct TiledProduct {
  uint64_t pixels = 0;       // that can share a tile: output pixels of an image or a phase, rows of a matrix
  uint64_t repetitions = 1;  // such sets of pixels: groups of channels times phases
  uint32_t columns = 1;      // vectors of four output channels per group, as the weights are packed
  bool two_sums = false;     // of 8-bit products, more than a float holds exactly: twice the registers
  bool scalar_input = false;
  uint32_t window = 0;  // kWindowPointwise ... kWindowTransposed (shaders/convolution_params.h)
};

// Software Vulkan: the tile with the least work, as counted in its instructions. GPUs: the largest tile that leaves registers for
// enough subgroups and work for the whole device; one vector of channels, so that consecutive invocations read consecutive
// weights.
ConvolutionTile choose_tile(const TiledProduct& product, const DeviceTraits& traits);

// 32-bit registers that an invocation takes, about: fitted to what Mesa's compilers for AMD report (perf/static).
uint32_t tile_registers(const ConvolutionTile& tile, const TiledProduct& product);

// A block of output pixels of a depthwise convolution.
struct DepthwiseTile {
  uint32_t pixels = 1;  // neighbours in a row: 1, 2, 4 or 8
  uint32_t rows = 1;    // 1, 2 or 4
  bool operator==(const DepthwiseTile&) const = default;
};

// `unrolled`: the kernel knows width and stride of the filter, which may have several columns of a row read at once.
DepthwiseTile choose_depthwise_tile(const WindowParameters& window, bool unrolled, bool integer, const DeviceTraits& traits);

}  // namespace nnvk::vulkan
