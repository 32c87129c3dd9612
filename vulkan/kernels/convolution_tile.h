// Chooses how many output pixels and channels one invocation of the convolution kernels computes. Pure, tested without a GPU.
#pragma once

#include <cstdint>

#include "core/operations/parameters/window_parameters.h"
#include "vulkan/traits/device_traits.h"

namespace nnvk::vulkan {

struct ConvolutionTile {
  uint32_t pixels = 1;   // output pixels per invocation: 1, 2, 4, 8 or 16
  uint32_t vectors = 1;  // output channels per invocation, in vectors of four: 1 or 2
  uint32_t sharers =
      1;  // consecutive invocations that read the input of the tile's pixels together; above 1: needs subgroup shuffles
  bool operator==(const ConvolutionTile&) const = default;
};

// The sizes of a convolution, or of a product of rows with a matrix, that decide the tile.
struct TiledProduct {
  uint64_t pixels = 0;       // that can share a tile: output pixels of an image or a phase, rows of a matrix
  uint64_t repetitions = 1;  // how many sets of `pixels` there are: groups of channels times phases
  uint32_t columns = 1;      // vectors of four output channels per group, as the weights are packed
  bool two_sums = false;     // 8-bit sums that a float cannot hold exactly: they take twice the registers
  bool scalar_input = false;
  uint32_t window = 0;  // kWindowPointwise ... kWindowTransposed (shaders/convolution_params.h)
};

// Software Vulkan: the tile with the fewest of its instructions. GPUs: the largest tile that leaves registers for enough
// subgroups and work for the whole device. It has one vector of channels, so that consecutive invocations read consecutive
// weights.
ConvolutionTile choose_tile(const TiledProduct& product, const DeviceTraits& traits);

// Approximate 32-bit registers of an invocation, fitted to the reports of Mesa's compilers for AMD (perf/static).
uint32_t tile_registers(const ConvolutionTile& tile, const TiledProduct& product);

// A block of output pixels of a depthwise convolution.
struct DepthwiseTile {
  uint32_t pixels = 1;  // neighbours in a row: 1, 2, 4 or 8
  uint32_t rows = 1;    // 1, 2 or 4
  bool operator==(const DepthwiseTile&) const = default;
};

// `unrolled`: the kernel is specialized for width and stride of the filter and may read several columns of a row at once.
DepthwiseTile choose_depthwise_tile(const WindowParameters& window, bool unrolled, bool integer, const DeviceTraits& traits);

}  // namespace nnvk::vulkan
