// Chooses which 8-bit layers use integer dot products, and in which form: pure functions over plain numbers, tested without a
// GPU.
#pragma once

#include <cstdint>
#include <optional>

#include "core/operations/parameters/window_parameters.h"
#include "vulkan/kernels/convolution_weights.h"
#include "vulkan/traits/device_traits.h"

namespace nnvk::vulkan {

// Whether kernels that can should compute 8-bit products by dot products: the driver reports the instruction as fast, or the form
// "dot" is requested.
bool prefers_dot_products(const DeviceTraits& traits);

// The layout of one layer's bytes, in words of four (shaders/dot_convolution_params.h).
struct DotLayout {
  uint32_t words = 0;          // per tap and group
  uint32_t scale_vectors = 0;  // mantissas and exponents
  uint64_t weight_vectors = 0;
  uint64_t corrections = 0;
  uint64_t packed_bytes() const { return 16 * (weight_vectors + corrections + scale_vectors); }
  bool operator==(const DotLayout&) const = default;
};
// `scale_channels`: the number of scales, rounded up to whole vectors in each group.
DotLayout dot_layout(const FilterLayout& filter, uint32_t scale_channels);

// The work of a layer besides its weights.
struct DotWork {
  uint64_t pixels = 1;       // that can share a tile
  uint64_t repetitions = 1;  // how many sets of `pixels` there are: phases
  uint32_t taps = 1;         // that reach a pixel, at most
  uint64_t image_bytes = 0;  // of the input in words
  bool whole_words = true;   // the input consists of words already: channels last, a multiple of four per group and pixel
};

// Specialization of dot_convolution.comp.
struct DotChoice {
  uint32_t tile_pixels = 1;
  uint32_t tile_vectors = 1;  // output channels per invocation, in vectors of four
  bool copies_image = false;  // the input is copied into words first
  bool wide_input = false;    // the kernel loads four words at once
  bool operator==(const DotChoice&) const = default;
};

// nullopt if the float kernels must compute the layer: the device prefers them, the sums are too long for one dispatch
// (bounded_work.h), or something does not fit a storage buffer.
std::optional<DotChoice> choose_dot(const FilterLayout& filter, const DotLayout& layout, const DotWork& work,
                                    const DeviceTraits& traits);

}  // namespace nnvk::vulkan
