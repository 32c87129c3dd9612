// 8-bit products by integer dot products of four bytes.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "vulkan/kernels/products/byte_words.h"
#include "vulkan/kernels/products/product.h"

namespace nnvk::vulkan {

// The layout of one layer's bytes, in words of four (shaders/dot_convolution_params.h).
struct DotLayout {
  uint32_t words = 0;          // per tap and group
  uint32_t scale_vectors = 0;  // mantissas and exponents
  uint64_t weight_vectors = 0;
  uint64_t corrections = 0;
  uint64_t packed_bytes() const { return 16 * (weight_vectors + corrections + scale_vectors); }
};
// Returns the layout of a filter's bytes. `scale_channels`: the number of scales, rounded up to whole vectors in each group.
DotLayout dot_layout(const FilterLayout& filter, uint32_t scale_channels);

// The sizes for which dot_convolution.comp is specialized.
struct DotChoice {
  uint32_t tile_pixels = 1;
  uint32_t tile_vectors = 1;  // output channels per invocation, in vectors of four
  uint32_t lanes = 1;         // invocations that share a tile: a power of two up to 32
  bool operator==(const DotChoice&) const = default;
};
uint64_t invocations(const DotChoice& choice, const ProductShape& shape);

// Chooses the sizes. Several invocations share a tile if a device would be idle otherwise, and if each of them keeps a part of
// the sum that is worth adding up; on software Vulkan only if the form "split" is requested. Returns nullopt if the float kernels
// must compute the layer: the sums are too long for one dispatch (bounded_work.h), or something does not fit a storage buffer.
std::optional<DotChoice> choose_dot(const ProductShape& shape, const DeviceTraits& traits);

Status emit_dot_products(const EmitContext& context, const Product& product, const DotChoice& choice);
std::string reason_of(const DotChoice& choice, const ProductShape& shape, const DeviceTraits& traits);

// Returns whether sums of words fit one dispatch, and packed weights and a copy of the input fit storage buffers. `filter`: the
// shape's filter, or its weights in the order in which dot_depthwise.comp reads them. `image_words`: the words for a pixel's
// group of channels.
bool fits_words(const ProductShape& shape, const FilterLayout& filter, uint32_t image_words, const DeviceTraits& traits);

// Returns weights, corrections for the zero point of `image`, and scales in one tensor. The device packs constant weights once.
Result<TensorId> packed_dot_weights(const EmitContext& context, const Product& product, const FilterLayout& filter,
                                    const WordImage& image);

}  // namespace nnvk::vulkan
