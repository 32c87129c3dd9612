// Convolutions in which every output channel reads one input channel: DEPTHWISE_CONV_2D, and GROUPED_CONV_2D with as many groups
// as input channels.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "vulkan/kernels/products/product.h"

namespace nnvk::vulkan {

// The sizes for which depthwise.comp is specialized for one layer.
struct DepthwiseChoice {
  uint32_t tile_pixels = 1;   // neighbouring output pixels of a row per invocation: 1, 2, 4 or 8
  uint32_t filter_width = 0;  // 3 or 5: the kernel unrolls filter rows and reads input columns once; 0: any filter
  uint32_t stride_width = 1;  // with a filter_width: 1 or 2
  bool scalar_input = false;
  uint32_t tile_rows = 1;  // output rows per invocation: 1, 2 or 4; above 1 only with a filter_width
};
DepthwiseChoice choose_depthwise(const ProductShape& shape, const DeviceTraits& traits);

// A block of output pixels of a depthwise convolution.
struct DepthwiseTile {
  uint32_t pixels = 1;  // neighbours in a row: 1, 2, 4 or 8
  uint32_t rows = 1;    // 1, 2 or 4
  bool operator==(const DepthwiseTile&) const = default;
};
// Chooses the tile for a layer. `unrolled`: the kernel is specialized for width and stride of the filter and may read several
// columns of a row at once.
DepthwiseTile choose_depthwise_tile(const WindowParameters& window, bool unrolled, bool integer, const DeviceTraits& traits);

Status emit_depthwise_tiles(const EmitContext& context, const Product& product, const DepthwiseChoice& choice);
std::string reason_of(const DepthwiseChoice& choice, const ProductShape& shape, const DeviceTraits& traits);

// The sizes for which dot_depthwise.comp is specialized.
struct DotDepthwiseChoice {
  uint32_t tile_pixels = 1;   // neighbouring output pixels of a row per invocation: 1, 2 or 4
  uint32_t filter_width = 0;  // as in DepthwiseChoice
  uint32_t stride_width = 1;
};
// Chooses the sizes. Returns nullopt if output channels share input channels, or something does not fit a dispatch or a storage
// buffer.
std::optional<DotDepthwiseChoice> choose_dot_depthwise(const ProductShape& shape, const DeviceTraits& traits);

Status emit_dot_depthwise(const EmitContext& context, const Product& product, const DotDepthwiseChoice& choice);
std::string reason_of(const DotDepthwiseChoice& choice, const ProductShape& shape, const DeviceTraits& traits);

}  // namespace nnvk::vulkan
