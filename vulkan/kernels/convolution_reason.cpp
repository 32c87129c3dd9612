// Describes the facts that convolution_choice.cpp decided from.
#include "vulkan/kernels/convolution_reason.h"

#include "shaders/convolution_params.h"
#include "vulkan/kernels/choice_reason.h"

namespace nnvk::vulkan {
namespace {

std::string counted(uint64_t count, const char* what) { return grouped_digits(count) + " " + what + (count == 1 ? "" : "s"); }

// Explains the number of pixels in a tile.
std::string tile_reason(uint32_t tile_pixels, uint64_t pixels, uint64_t invocations, const DeviceTraits& traits) {
  const uint64_t wanted = wanted_invocations(traits.machine);
  if (pixels <= 1) return "there is one pixel to share weights with";
  if (tile_pixels > 1 && invocations < wanted) return "all " + counted(pixels, "pixel") + " share their weights";
  const std::string best = traits.is_software() ? "the fewest instructions"
                                                : "the largest tile within " + std::to_string(traits.registers) + " registers";
  if (tile_pixels > 1) {
    return best + ", " + counted(invocations, "invocation") + " keep the device busy (" + grouped_digits(wanted) + " do)";
  }
  return best + " that leaves the " + grouped_digits(wanted) + " invocations that keep the device busy";
}

const char* window_text(uint32_t window) {
  switch (window) {
    case kWindowPointwise:
      return "each output pixel reads the input pixel of its place";
    case kWindowTransposed:
      return "transposed: pixels of one phase meet the same taps";
    case kWindowInside:
      return "the window stays inside the image";
    default:
      return "the window leaves the image, which is checked at every tap";
  }
}

std::string access_reason(bool scalar_input, bool scalar_output, bool narrow) {
  std::string text;
  if (scalar_input) text += "; input element by element: its channels lie in planes or are not a multiple of four";
  if (scalar_output) text += "; output element by element: its channels lie in planes or are not a multiple of four";
  if (narrow) text += ", as 32-bit words that another kernel narrows";
  return text;
}

}  // namespace

std::string reason_of(const ConvolutionChoice& choice, uint64_t pixels, uint64_t invocations, const DeviceTraits& traits) {
  const ConvolutionTile& tile = choice.tile;
  const std::string shared =
      tile.sharers > 1 ? "; " + counted(tile.sharers, "invocation") + " read the input of their pixels together" : "";
  return counted(tile.pixels, "pixel") + " x " + counted(tile.vectors, "vector") +
         " of channels: " + tile_reason(tile.pixels, pixels, invocations, traits) + shared + "; " + window_text(choice.window) +
         access_reason(choice.scalar_input, choice.scalar_output, choice.narrow);
}

std::string reason_of(const DepthwiseChoice& choice, uint64_t invocations, const DeviceTraits& traits) {
  const uint64_t pixels = uint64_t{choice.tile_pixels} * choice.tile_rows;
  const std::string filter = choice.filter_width == 0 ? "any filter width, stride and dilation"
                                                      : "rows of " + std::to_string(choice.filter_width) +
                                                            " taps unrolled, stride " + std::to_string(choice.stride_width);
  return counted(choice.tile_pixels, "pixel") + " of " + counted(choice.tile_rows, "row") + ": " +
         tile_reason(static_cast<uint32_t>(pixels), UINT64_MAX, invocations, traits) + "; " + filter +
         access_reason(choice.scalar_input, choice.scalar_output, choice.narrow);
}

}  // namespace nnvk::vulkan
