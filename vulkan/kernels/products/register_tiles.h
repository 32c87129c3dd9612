// An invocation computes a tile of output pixels x channels in registers. All devices can compute all dense products this way.
#pragma once

#include <cstdint>
#include <string>

#include "vulkan/kernels/products/product.h"

namespace nnvk::vulkan {

// The tile of one invocation of convolution.comp.
struct RegisterTile {
  uint32_t pixels = 1;   // output pixels: 1, 2, 4, 8 or 16
  uint32_t vectors = 1;  // output channels, in vectors of four: 1 or 2
  // How many consecutive invocations read the input of the tile's pixels together. Above 1, they need subgroup shuffles.
  uint32_t sharers = 1;
  bool operator==(const RegisterTile&) const = default;
};

// Chooses the tile. On software Vulkan, this is the tile with the fewest instructions. On GPUs, it is the largest tile that
// leaves registers for enough subgroups and work for the whole device; it has one vector of channels, so that consecutive
// invocations read consecutive weights.
RegisterTile choose_register_tile(const ProductShape& shape, const DeviceTraits& traits);

// Estimates how many 32-bit registers an invocation needs; the estimate is fitted to the reports of Mesa's compilers for AMD
// (perf/static).
uint32_t tile_registers(const RegisterTile& tile, const ProductShape& shape);

Status emit_register_tiles(const EmitContext& context, const Product& product, const RegisterTile& tile);
std::string reason_of(const RegisterTile& tile, const ProductShape& shape, const DeviceTraits& traits);

// Returns the weights of convolution.comp: rows of float vectors. The forms of split_sums.h and group_tiles.h use the same.
Result<TensorBinding> float_weights(const EmitContext& context, const Product& product);

// Returns how many pixels of eight output channels, 4, 2 or 1, the registers permit, if 4 pixels need `registers_of_four` on
// AMD's GPUs. Other compilers need many more for transposed convolutions, whose pixels each have a place in the image.
uint32_t most_tile_pixels(uint32_t registers_of_four, const ProductShape& shape, const DeviceTraits& traits);

// Returns how many output pixels an invocation of another form computes: `most` for 2 to `most` pixels, else the largest power of
// two up to `most` that leaves the whole device work. `repetitions`: sets of `pixels` (tiles of channels times phases).
uint32_t choose_tile_pixels(uint64_t pixels, uint64_t repetitions, uint32_t most, const DeviceTraits& traits);

// Each function returns a part of a reason. pixels_reason() tells why a tile has this many pixels: "all 3 pixels share their
// weights".
std::string pixels_reason(uint32_t tile_pixels, uint64_t pixels, uint64_t invocations, const DeviceTraits& traits);
// Returns "; input element by element: ...", or nothing if input and output are whole vectors.
std::string access_reason(bool scalar_input, const ProductShape& shape);
// Returns the number with its noun: "1 pixel", "9,216 pixels".
std::string counted(uint64_t count, const char* what);

}  // namespace nnvk::vulkan
