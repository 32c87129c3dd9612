// Large float products through the shared memory of work groups.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "vulkan/kernels/products/product.h"

namespace nnvk::vulkan {

// The tile of one invocation of convolution_tiled.comp; a work group has kTiledRows x kTiledColumns invocations.
struct GroupTile {
  uint32_t pixels = 4;   // output pixels: 4 or 8
  uint32_t vectors = 2;  // output channels, in vectors of four
  uint32_t group_pixels() const;
  uint32_t group_vectors() const;
  bool operator==(const GroupTile&) const = default;
};

uint64_t work_groups(const GroupTile& tile, const ProductShape& shape);

// Returns the largest tile that leaves registers for enough subgroups, gives the whole device work and adds hardly any padding.
// If the form is requested, returns a tile for all products that the kernels can compute. Returns nullopt if another form must
// compute the product.
std::optional<GroupTile> choose_group_tile(const ProductShape& shape, const DeviceTraits& traits);

Status emit_group_tiles(const EmitContext& context, const Product& product, const GroupTile& tile);

// Returns a text for Dispatch::choice: "64 pixels x 64 channels to a work group, through shared memory: ...".
std::string reason_of(const GroupTile& tile, const ProductShape& shape, const DeviceTraits& traits);

}  // namespace nnvk::vulkan
