// Chooses which float products use the shared memory of work groups, and in which tiles: pure functions over plain numbers,
// tested without a GPU.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "vulkan/kernels/convolution_tile.h"

namespace nnvk::vulkan {

// The tile of one invocation of convolution_tiled.comp; a work group has kTiledRows x kTiledColumns invocations.
struct GroupTile {
  uint32_t pixels = 4;   // output pixels: 4 or 8
  uint32_t vectors = 2;  // output channels, in vectors of four
  uint32_t group_pixels() const;
  uint32_t group_vectors() const;
  bool operator==(const GroupTile&) const = default;
};

// Work groups of a product.
uint64_t work_groups(const GroupTile& tile, const TiledProduct& product);

// Discrete GPUs: the largest tile that leaves registers for enough subgroups and work for the whole device, with hardly any
// padding. Others: only with the form "tiles", then for everything that the kernels can compute. `channels`: input channels of
// all taps that a sum covers. nullopt: other kernels compute the product, without shared memory.
std::optional<GroupTile> choose_group_tile(const TiledProduct& product, uint64_t channels, const DeviceTraits& traits);

// "64 pixels x 64 channels to a work group, through shared memory: ...": for Dispatch::choice.
std::string reason_of(const GroupTile& tile, const TiledProduct& product, const DeviceTraits& traits);

}  // namespace nnvk::vulkan
