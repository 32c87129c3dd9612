// Chooses how many output pixels an invocation of the dot product and half kernels computes. Pure.
#pragma once

#include <cstdint>

#include "vulkan/kernels/device_traits.h"

namespace nnvk::vulkan {

// The largest power of two up to `most` that leaves work for the whole device. `pixels` can share a tile, and there are
// `repetitions` such sets of pixels (tiles of channels, phases).
uint32_t choose_product_pixels(uint64_t pixels, uint64_t repetitions, uint32_t most, const DeviceTraits& traits);

}  // namespace nnvk::vulkan
