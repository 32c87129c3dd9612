// Choice of tiles: a count of instructions for software Vulkan, a budget of registers for GPUs.
#include "vulkan/kernels/convolution_tile.h"

#include <algorithm>
#include <span>

#include "shaders/convolution_params.h"
#include "vulkan/kernels/emit_common.h"

namespace nnvk::vulkan {
namespace {

// Instructions of lavapipe 22.3.6 for a subgroup, counted in its disassembly: a call that reads texels, and a loop over the lanes
// that writes four words each.
constexpr uint64_t kRead = 60;
constexpr uint64_t kStore = 460;

constexpr uint32_t kSoftwareLanes = 8;  // of a subgroup of lavapipe on processors with 256-bit vectors

constexpr ConvolutionTile kSoftwareTiles[] = {{1, 1}, {1, 2}, {4, 1}, {4, 2}, {8, 1}, {8, 2}, {16, 1}};
constexpr ConvolutionTile kHardwareTiles[] = {{8, 1}, {4, 1}, {2, 1}, {1, 1}};  // best first

uint64_t invocations(const ConvolutionTile& tile, const TiledProduct& product) {
  return divide_up(product.pixels, tile.pixels) * product.repetitions * (product.columns / tile.vectors);
}

// How many invocations can share their reads of the input: they must be neighbours in one group of channels and in one subgroup.
uint32_t choose_sharers(const ConvolutionTile& tile, const TiledProduct& product, const DeviceTraits& traits) {
  const bool shuffles = traits.features.contains(KernelFeature::kSubgroupShuffle);
  if (!traits.is_software() || !shuffles || traits.subgroup_size < kSoftwareLanes) return 1;
  const uint32_t neighbours = product.columns / tile.vectors;
  uint32_t sharers = std::min(kSoftwareLanes, tile.pixels);
  while (neighbours % sharers != 0) sharers /= 2;
  return sharers;
}

// Instructions of all invocations for one step of the sums. A multiply-add counts as two. Each step loads, masks and stores a sum
// once.
uint64_t software_cost(const ConvolutionTile& tile, const TiledProduct& product) {
  const uint64_t lanes = product.scalar_input ? 1 : 4;
  const uint64_t reads = tile.pixels / tile.sharers + lanes * tile.vectors;
  const uint64_t sums = uint64_t{4} * tile.pixels * tile.vectors;
  const uint64_t shuffles = tile.sharers > 1 ? lanes * tile.pixels : 0;
  return invocations(tile, product) * (kRead * reads + shuffles + sums * (2 * lanes + 3));
}

ConvolutionTile choose_for_software(const TiledProduct& product, const DeviceTraits& traits) {
  ConvolutionTile best;
  uint64_t least = software_cost(best, product);
  for (ConvolutionTile tile : kSoftwareTiles) {
    if (product.columns % tile.vectors != 0) continue;
    tile.sharers = choose_sharers(tile, product, traits);
    // Skips tiles that leave too few invocations. Up to four pixels may share a tile anyway, because smaller tiles would not help
    // much.
    const bool splits = tile.pixels > 4 || product.pixels > 4;
    if (tile.pixels > 1 && splits && invocations(tile, product) < wanted_invocations(traits.machine)) continue;
    if (const uint64_t cost = software_cost(tile, product); cost < least) {
      least = cost;
      best = tile;
    }
  }
  return best;
}

ConvolutionTile choose_for_hardware(const TiledProduct& product, const DeviceTraits& traits) {
  for (const ConvolutionTile& tile : kHardwareTiles) {
    if (tile_registers(tile, product) > traits.registers || product.pixels < tile.pixels) continue;
    if (invocations(tile, product) >= wanted_invocations(traits.machine)) return tile;
    if (product.pixels <= 4 && tile.pixels >= product.pixels) return tile;
  }
  return {};
}

uint64_t depthwise_invocations(const DepthwiseTile& tile, const WindowParameters& w) {
  return w.batches * divide_up(w.out_height, tile.rows) * divide_up(w.out_width, tile.pixels) * divide_up(w.out_channels, 4);
}

// Input pixels that a tile covers along one axis.
uint64_t extent(uint64_t outputs, int32_t stride, uint64_t filter) {
  return (outputs - 1) * static_cast<uint64_t>(stride) + filter;
}

uint64_t software_cost(const DepthwiseTile& tile, const WindowParameters& w, bool unrolled) {
  const uint64_t taps = uint64_t{w.filter_height} * w.filter_width;
  const uint64_t pixels = uint64_t{tile.pixels} * tile.rows;
  const uint64_t inputs =
      unrolled ? extent(tile.rows, w.stride_height, w.filter_height) * extent(tile.pixels, w.stride_width, w.filter_width)
               : taps * pixels;
  return depthwise_invocations(tile, w) * (kRead * (inputs + taps) + 8 * taps * pixels + kStore * pixels);
}

uint32_t depthwise_registers(const DepthwiseTile& tile, const WindowParameters& w, bool integer) {
  const auto columns = static_cast<uint32_t>(extent(tile.pixels, w.stride_width, w.filter_width));
  return 4 * (columns + w.filter_width + tile.pixels + (integer ? 1 : 0)) + 8;
}

DepthwiseTile choose_depthwise_for_software(const WindowParameters& w, bool unrolled, const DeviceTraits& traits) {
  DepthwiseTile best;
  uint64_t least = software_cost(best, w, unrolled);
  // Tiles of several rows are completely unrolled.
  const bool small = unrolled && w.dilation_height == 1 && w.filter_height <= 5 && (w.stride_height == 1 || w.stride_height == 2);
  for (const uint32_t rows : {1U, 2U, 4U}) {
    for (const uint32_t pixels : {1U, 2U, 4U, 8U}) {
      const DepthwiseTile tile{pixels, rows};
      if (rows > 1 && !small) continue;
      if (pixels * rows > 1 && depthwise_invocations(tile, w) < wanted_invocations(traits.machine)) continue;
      if (const uint64_t cost = software_cost(tile, w, unrolled); cost < least) {
        least = cost;
        best = tile;
      }
    }
  }
  return best;
}

}  // namespace

uint32_t tile_registers(const ConvolutionTile& tile, const TiledProduct& product) {
  const uint32_t sums = 4 * tile.vectors * (product.two_sums ? 2 : 1);
  const uint32_t place = product.window == kWindowPointwise    ? 0
                         : product.window == kWindowTransposed ? 5
                                                               : 4;  // registers for the position in the image
  const uint32_t inputs = 6 + place;
  return tile.pixels * (sums + inputs) + 16 * tile.vectors + 4;
}

DepthwiseTile choose_depthwise_tile(const WindowParameters& window, bool unrolled, bool integer, const DeviceTraits& traits) {
  if (traits.is_software()) return choose_depthwise_for_software(window, unrolled, traits);
  for (const uint32_t pixels : {4U, 2U}) {
    const DepthwiseTile tile{pixels, 1};
    const bool fits = !unrolled || depthwise_registers(tile, window, integer) <= traits.registers;
    if (fits && window.out_width >= pixels && depthwise_invocations(tile, window) >= wanted_invocations(traits.machine))
      return tile;
  }
  return {};
}

ConvolutionTile choose_tile(const TiledProduct& product, const DeviceTraits& traits) {
  return traits.is_software() ? choose_for_software(product, traits) : choose_for_hardware(product, traits);
}

}  // namespace nnvk::vulkan
