// Chooses how many output pixels an invocation of the dot product and half kernels computes. Pure.
#pragma once

#include <cstdint>

#include "vulkan/traits/device_traits.h"

namespace nnvk::vulkan {

// The largest power of two up to `most` that leaves work for the whole device. `pixels`: the number that can share tiles.
// `repetitions`: how many sets of `pixels` there are (tiles of channels times phases).
uint32_t choose_product_pixels(uint64_t pixels, uint64_t repetitions, uint32_t most, const DeviceTraits& traits);

}  // namespace nnvk::vulkan
