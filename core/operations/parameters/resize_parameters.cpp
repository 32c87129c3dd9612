// Decodes the flags of a resize and maps output positions to input positions.
#include "core/operations/parameters/resize_parameters.h"

#include <algorithm>
#include <cmath>

#include "core/operations/parameters/scalar_parameters.h"

namespace nnvk {
namespace {

float axis_scale(uint32_t in, uint32_t out, ResizeMapping mapping) {
  return mapping.align_corners && out > 1 ? static_cast<float>(in - 1) / static_cast<float>(out - 1)
                                          : static_cast<float>(in) / static_cast<float>(out);
}

}  // namespace

Result<ResizeParameters> resize_parameters(const OperationView& operation) {
  ResizeParameters p;
  NNVK_ASSIGN(p.nchw, flag_parameter(operation, resize::kLayout));
  NNVK_ASSIGN(p.mapping.align_corners, flag_parameter(operation, resize::kAlignCorners));
  NNVK_ASSIGN(p.mapping.half_pixel_centers, flag_parameter(operation, resize::kHalfPixelCenters));
  return p;
}

std::vector<ResizeTap> bilinear_taps(uint32_t in, uint32_t out, ResizeMapping mapping) {
  const float scale = axis_scale(in, out, mapping);
  const auto last = static_cast<float>(in - 1);
  std::vector<ResizeTap> taps(out);
  for (uint32_t o = 0; o < out; ++o) {
    const auto index = static_cast<float>(o);
    const float position = mapping.half_pixel_centers ? (index + 0.5F) * scale - 0.5F : index * scale;
    const float low = std::min(std::max(std::floor(position), 0.0F), last);
    const float high = std::max(std::min(std::ceil(position), last), 0.0F);
    taps[o] = {static_cast<uint32_t>(low), static_cast<uint32_t>(high), position - low};
  }
  return taps;
}

std::vector<uint32_t> nearest_sources(uint32_t in, uint32_t out, ResizeMapping mapping) {
  const float scale = axis_scale(in, out, mapping);
  const auto last = static_cast<float>(in - 1);
  std::vector<uint32_t> sources(out);
  for (uint32_t o = 0; o < out; ++o) {
    const auto index = static_cast<float>(o);
    const float position = mapping.half_pixel_centers ? (index + 0.5F) * scale : index * scale;
    const float source = mapping.align_corners ? std::round(position) : std::floor(position);
    sources[o] = static_cast<uint32_t>(std::max(std::min(source, last), 0.0F));
  }
  return sources;
}

}  // namespace nnvk
