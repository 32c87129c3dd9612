// Chooses fewer pixels per invocation if the device would have idle lanes.
#include "vulkan/kernels/product_tile.h"

namespace nnvk::vulkan {
uint32_t choose_product_pixels(uint64_t pixels, uint64_t repetitions, uint32_t most, const DeviceTraits& traits) {
  // Smaller tiles would hardly fill the device with so few pixels, so all of them share their weights in one tile.
  if (pixels > 1 && pixels <= most) return most;
  for (uint32_t tile = most; tile > 1; tile /= 2) {
    if (pixels >= tile && (pixels + tile - 1) / tile * repetitions >= wanted_invocations(traits.machine)) return tile;
  }
  return 1;
}

}  // namespace nnvk::vulkan
