// Computes positions and weights of samples.
#include "core/operations/parameters/picture_taps.h"

#include <algorithm>
#include <cmath>

namespace nnvk {
namespace {

// Returns a step that leads from sample `low` beyond `high`: kernels walk by it, and must end at strides of 0 and of 2^32 - 1.
uint32_t stride_of(const TapAxis& axis, double low, double high) { return high > low ? std::max(axis.stride, 1U) : 4; }

// Returns the tap for the mean of a plane between two positions, in samples; sample k covers [k, k + 1).
PictureTap area_tap(const TapAxis& axis, double begin, double end) {
  const double last = axis.samples - 1;
  const double low = std::min(std::floor(begin), last);
  const double high = std::clamp(std::ceil(end) - 1, low, last);
  PictureTap tap;
  tap.low = axis.base + static_cast<uint32_t>(low) * axis.stride;
  tap.high = axis.base + static_cast<uint32_t>(high) * axis.stride;
  tap.weight = static_cast<float>(end - high);
  tap.low_weight = static_cast<float>(std::min(low + 1, end) - begin);
  tap.scale = static_cast<float>(1 / (end - begin));
  tap.stride = stride_of(axis, low, high);
  return tap;
}

}  // namespace

std::vector<PictureTap> taps_of(const TapAxis& axis, PictureSpan span, uint32_t outputs, PictureFilter filter) {
  const double last = axis.samples - 1;
  const double margin = std::min(0.5, span.length / 2);
  const bool has_areas = filter == PictureFilter::kArea && span.length / outputs > axis.coverage;
  std::vector<PictureTap> taps(outputs);
  for (uint32_t o = 0; o < outputs; ++o) {
    const auto edge = [&](double of) { return (span.begin + of * span.length / outputs) / axis.coverage; };
    if (has_areas) {
      taps[o] = area_tap(axis, edge(o), edge(o + 1.0));
      continue;
    }
    const double position = span.begin + (o + 0.5) * span.length / outputs;
    double low = 0;
    double weight = 0;
    if (filter == PictureFilter::kNearest) {
      low = std::min(std::floor(position / axis.coverage), last);
    } else {
      const double inside = std::clamp(position, span.begin + margin, span.begin + span.length - margin);
      const double sample = std::clamp(inside / axis.coverage - 0.5, 0.0, last);
      low = std::floor(sample);
      weight = sample - low;
    }
    const double high = std::min(low + 1, last);
    taps[o] = {axis.base + static_cast<uint32_t>(low) * axis.stride,
               axis.base + static_cast<uint32_t>(high) * axis.stride,
               static_cast<float>(weight),
               static_cast<float>(1 - weight),
               1.0F,
               stride_of(axis, low, high)};
  }
  return taps;
}

}  // namespace nnvk
