// The input positions of a tile of output pixels, for kernels whose invocations compute TILE_PIXELS pixels x TILE_VECTORS * 4
// channels of one group. Include it after NNVK_PARAMS. It needs TILE_PIXELS, WINDOW, GROUPING and, in the params, the geometry,
// pixels, channel_tiles, group_tiles, in_stride_group.

#include "convolution_window.glsl"

uint filter_cells() { return WINDOW == kWindowPointwise ? 1 : params.filter_height * params.filter_width; }

// The tile of one invocation. Its vectors of output channels are `vector`, `vector` + group_tiles and so on, so that consecutive
// invocations compute consecutive vectors.
struct Tile {
  bool exists;
  uint group;
  uint vector;  // within the group
  uint first_pixel;
  uvec2 phase;  // kWindowTransposed: the phase of the output, across and down
};

// The pixels of the tile and the starts of their windows. Pixels beyond the last one repeat it and are not stored.
uint tile_image[TILE_PIXELS];   // input position of the first pixel of the image, pointwise: of the pixel
int tile_top[TILE_PIXELS];
int tile_left[TILE_PIXELS];
uint tile_target[TILE_PIXELS];  // output pixel
bool tile_stored[TILE_PIXELS];
// The input positions of one tap, and whether they are inside the image.
uint tap_base[TILE_PIXELS];
bool tap_inside[TILE_PIXELS];

Tile find_tile(uint invocation) {
  Tile tile;
  uint pixel_tile = invocation / params.channel_tiles;
  const uint channel_tile = invocation - pixel_tile * params.channel_tiles;
  tile.group = GROUPING == kGroupingNone ? 0 : channel_tile / params.group_tiles;
  tile.vector = channel_tile - tile.group * params.group_tiles;
  tile.phase = uvec2(0);
  const uint phase_tiles = (params.pixels + TILE_PIXELS - 1) / TILE_PIXELS;
  const uvec2 stride = uvec2(params.stride_width, params.stride_height);
  uint phases = 1;
  uvec2 grid = uvec2(params.out_width, params.out_height);  // pixels of the output image, or of one phase
  if (WINDOW == kWindowTransposed) {
    const uint phases_across = min(stride.x, params.out_width);
    phases = phases_across * min(stride.y, params.out_height);
    const uint number = pixel_tile / phase_tiles;
    pixel_tile -= number * phase_tiles;
    tile.phase = uvec2(number % phases_across, number / phases_across);
    grid = (grid + stride - 1) / stride;
  }
  tile.first_pixel = pixel_tile * TILE_PIXELS;
  tile.exists = invocation < phases * phase_tiles * params.channel_tiles;
  if (WINDOW == kWindowPointwise) {
    [[unroll]] for (uint p = 0; p < TILE_PIXELS; ++p) {
      const uint pixel = min(tile.first_pixel + p, params.pixels - 1);
      tile_image[p] = pixel * params.in_stride_pixel + tile.group * params.in_stride_group;
      tile_target[p] = tile.first_pixel + p;
      tile_stored[p] = tile.first_pixel + p < params.pixels;
    }
    return tile;
  }
  const uint row = tile.first_pixel / grid.x;
  const uint in_stride_batch = params.in_height * params.in_width * params.in_stride_pixel;
  uint batch = row / grid.y;
  uint y = row - batch * grid.y;
  uint x = tile.first_pixel - row * grid.x;
  [[unroll]] for (uint p = 0; p < TILE_PIXELS; ++p) {
    tile_image[p] = batch * in_stride_batch + tile.group * params.in_stride_group;
    tile_target[p] = tile.first_pixel + p;
    tile_stored[p] = tile.first_pixel + p < params.pixels;
    if (WINDOW == kWindowTransposed) {
      const uvec2 at = uvec2(x, y) * stride + tile.phase;
      tile_top[p] = int(y + (tile.phase.y + uint(params.pad_top)) / stride.y);
      tile_left[p] = int(x + (tile.phase.x + uint(params.pad_left)) / stride.x);
      tile_target[p] = (batch * params.out_height + at.y) * params.out_width + at.x;
      tile_stored[p] = tile_stored[p] && at.x < params.out_width && at.y < params.out_height;
    } else {
      tile_top[p] = int(y) * params.stride_height - params.pad_top;
      tile_left[p] = int(x) * params.stride_width - params.pad_left;
    }
    if (tile.first_pixel + p + 1 < params.pixels) {
      ++x;
      const bool next_row = x == grid.x;
      x = next_row ? 0 : x;
      y += next_row ? 1 : 0;
      const bool next_image = y == grid.y;
      y = next_image ? 0 : y;
      batch += next_image ? 1 : 0;
    }
  }
  return tile;
}

// Sets tap_base and tap_inside for tap (x, y) of the windows.
void find_tap(uvec2 tap, WindowAxis rows, WindowAxis columns) {
  [[unroll]] for (uint p = 0; p < TILE_PIXELS; ++p) {
    tap_base[p] = tile_image[p];
    tap_inside[p] = true;
    if (WINDOW != kWindowPointwise) {
      const int y = tile_top[p] + int(tap.y) * rows.advance;
      const int x = tile_left[p] + int(tap.x) * columns.advance;
      tap_inside[p] = inside_image(y, params.in_height) && inside_image(x, params.in_width);
      tap_base[p] += tap_inside[p] ? (uint(y) * params.in_width + uint(x)) * params.in_stride_pixel : 0;
    }
  }
}

// Returns the filter cell of a tap.
uint filter_cell(uvec2 tap, WindowAxis rows, WindowAxis columns) {
  return (rows.first + tap.y * rows.step) * params.filter_width + columns.first + tap.x * columns.step;
}

// Returns the tap that follows `tap`, row by row.
uvec2 next_tap(uvec2 tap, WindowAxis columns) {
  return tap.x + 1 == columns.taps ? uvec2(0, tap.y + 1) : uvec2(tap.x + 1, tap.y);
}
