// Says what convolution_choice.cpp looked at.
#include "vulkan/kernels/convolution_reason.h"

#include "shaders/convolution_params.h"
#include "vulkan/kernels/choice_reason.h"

namespace nnvk::vulkan {
namespace {

std::string counted(uint64_t count, const char* what) { return grouped_digits(count) + " " + what + (count == 1 ? "" : "s"); }

// Why tiles have so many pixels.
std::string tile_reason(uint32_t tile_pixels, uint64_t pixels, uint64_t invocations, const DeviceTraits& traits) {
  const uint64_t wanted = wanted_invocations(traits);
  if (pixels <= 1) return "there is one pixel to share weights with";
  if (tile_pixels > 1 && invocations < wanted) return "all " + counted(pixels, "pixel") + " share their weights";
  if (tile_pixels > 1) return counted(invocations, "invocation") + " keep the device busy (" + grouped_digits(wanted) + " do)";
  return "larger tiles would leave fewer than the " + grouped_digits(wanted) + " invocations that keep the device busy";
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
  if (scalar_input) text += "; input element by element: its channels lie in planes or are no multiple of four";
  if (scalar_output) text += "; output element by element: its channels lie in planes or are no multiple of four";
  if (narrow) text += ", as 32-bit words that another kernel narrows";
  return text;
}

}  // namespace

std::string reason_of(const ConvolutionChoice& choice, uint64_t pixels, uint64_t invocations, const DeviceTraits& traits) {
  return counted(choice.tile_pixels, "pixel") + " x " + counted(choice.tile_vectors, "vector") +
         " of channels: " + tile_reason(choice.tile_pixels, pixels, invocations, traits) + "; " + window_text(choice.window) +
         access_reason(choice.scalar_input, choice.scalar_output, choice.narrow);
}

std::string reason_of(const DepthwiseChoice& choice, uint64_t invocations, const DeviceTraits& traits) {
  const uint64_t wanted = wanted_invocations(traits);
  const std::string why = choice.tile_pixels > 1
                              ? counted(invocations, "invocation") + " keep the device busy (" + grouped_digits(wanted) + " do)"
                              : "tiles of four would leave fewer than the " + grouped_digits(wanted) +
                                    " invocations that keep the device busy, or rows have one pixel";
  const std::string filter = choice.filter_width == 0 ? "any filter width, stride and dilation"
                                                      : "rows of " + std::to_string(choice.filter_width) +
                                                            " taps unrolled, stride " + std::to_string(choice.stride_width);
  return counted(choice.tile_pixels, "pixel") + " of a row: " + why + "; " + filter +
         access_reason(choice.scalar_input, choice.scalar_output, choice.narrow);
}

}  // namespace nnvk::vulkan
