// How many output pixels an invocation of the kernels with dot products and halves computes. Pure.
#pragma once

#include <cstdint>

#include "vulkan/kernels/device_traits.h"

namespace nnvk::vulkan {

// A power of two up to `most` (one as well): as many as leave work for the whole device, where `pixels` can share a tile and
// there are `repetitions` such sets of pixels (tiles of channels, phases).
uint32_t choose_product_pixels(uint64_t pixels, uint64_t repetitions, uint32_t most, const DeviceTraits& traits);

}  // namespace nnvk::vulkan
