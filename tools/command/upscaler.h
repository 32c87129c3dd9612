// Enlarges pictures with a network, tile by tile.
#pragma once

#include <string>
#include <vector>

#include "tools/command/loaded_model.h"
#include "tools/image/picture.h"

namespace nnvk::tools {

// One tile along one dimension of a picture: the network computes [first, first + size), and the result keeps [keep_first,
// keep_end) of that.
struct Tile {
  uint32_t first = 0;
  uint32_t keep_first = 0;
  uint32_t keep_end = 0;
};

// Divides `length` pixels into overlapping tiles of `size` (or of `length`, if that is less). In its tile, every kept pixel has
// `reach` neighbours on each side, or the picture ends there. `size` must be more than twice `reach`.
std::vector<Tile> tiles(uint32_t length, uint32_t size, uint32_t reach);

// A network that enlarges pictures [1, h, w, 3] to [1, n h, n w, 3], compiled for tiles of one size. Float values are from -1 to
// 1; 8-bit values equal the pixels (signed: minus 128).
class Upscaler {
 public:
  static constexpr uint32_t kDefaultTile = 256;

  // Compiles the network for pictures of this size; a tile is never larger than the picture.
  static Result<Upscaler> load(const std::string& model, const std::string& device, uint32_t width, uint32_t height,
                               uint32_t tile = kDefaultTile);

  // Enlarges a picture, which has three channels and the size given to load(). The result does not depend on the tile size.
  Result<Picture> upscale(const Picture& picture);

  uint32_t factor() const { return factor_; }
  const LoadedModel& loaded() const { return loaded_; }
  // Returns the total time of all executions so far.
  double seconds() const { return seconds_; }

 private:
  explicit Upscaler(LoadedModel loaded) : loaded_(std::move(loaded)) {}

  LoadedModel loaded_;
  std::vector<Tile> columns_;
  std::vector<Tile> rows_;
  uint32_t factor_ = 1;
  double seconds_ = 0;
};

// Returns the path of a file of models/: beside this program (installed), or in the sources it was built from. Empty if there is
// none.
std::string shipped_file(const std::string& name);

}  // namespace nnvk::tools
