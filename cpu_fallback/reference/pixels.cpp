// CONVERT_PIXELS, pixels to an image tensor and back: core/operations/parameters/pixel_conversion.h defines the arithmetic.
#include <cmath>

#include "core/operations/parameters/pixel_conversion.h"
#include "cpu_fallback/reference/families.h"
#include "cpu_fallback/reference/tensor_access.h"

namespace nnvk::cpu {
namespace {

// Rounds to a byte, half up; NaN gives the lowest byte.
float rounded(float value, ByteRange range) {
  const float nearest = std::floor(value + 0.5F);
  return nearest >= range.lowest ? std::min(nearest, range.highest) : range.lowest;
}

Status convert_pixels(KernelContext& context) {
  NNVK_ASSIGN(const PixelConversion conversion, pixel_conversion(context.operation));
  const ByteRange range = byte_range(context.outputs[convert_pixels::kTo].info.type);
  with_input(context, convert_pixels::kFrom, [&](auto from) {
    with_output(context, convert_pixels::kTo, [&](auto to) {
      using T = typename decltype(to)::value_type;
      for (uint32_t pixel = 0; pixel < conversion.pixels; ++pixel) {
        for (uint32_t c = 0; c < conversion.to.channels; ++c) {
          float value = conversion.offset[c];
          if (conversion.source[c] != PixelConversion::kNoSource) {
            const auto element = static_cast<float>(from[conversion.element(conversion.from, pixel, conversion.source[c])]);
            value = element * conversion.factor[c] + conversion.offset[c];
          }
          to[conversion.element(conversion.to, pixel, c)] =
              static_cast<T>(std::is_same_v<T, float> ? value : rounded(value, range));
        }
      }
    });
  });
  return {};
}

constexpr KernelRow kRows[] = {{kConvertPixels, convert_pixels}};

}  // namespace

std::span<const KernelRow> pixels_kernels() { return kRows; }

}  // namespace nnvk::cpu
