// Float products with weights as halves: FLOAT16, and FLOAT32 in relaxed models, whose sums are halves too.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "vulkan/kernels/products/product.h"

namespace nnvk::vulkan {

// The sizes for which half_convolution.comp is specialized.
struct HalfChoice {
  uint32_t tile_pixels = 1;
  uint32_t quads = 1;  // vectors of four input channels that a step loads: relaxed FLOAT32 adds their products in half
};

// Chooses the sizes. Returns nullopt if the float32 kernels must compute the layer: the sums are too long for one dispatch
// (bounded_work.h), channels do not fill vectors, or something does not fit the device.
std::optional<HalfChoice> choose_half(const ProductShape& shape, const DeviceTraits& traits);

Status emit_halves(const EmitContext& context, const Product& product, const HalfChoice& choice);
std::string reason_of(const HalfChoice& choice, const ProductShape& shape, const DeviceTraits& traits);

// These functions describe the packed weights: how many vectors of eight output channels a row has, and their total size in
// bytes.
uint64_t half_columns(const FilterLayout& filter);
uint64_t packed_half_bytes(const FilterLayout& filter);

}  // namespace nnvk::vulkan
