// The samples of an image that become each row and column of an image of another size: bilinear, nearest and area filters. The
// host computes them, so that every device uses the same numbers.
#pragma once

#include <cstdint>
#include <vector>

namespace nnvk {

enum class PictureFilter : int32_t { kBilinear = 0, kNearest = 1, kArea = 2 };

// The source of one row or column of the tensor: the samples from `low` to `high`. They are byte offsets; the sum of a row's and
// a column's offset is the place of a sample in the picture.
struct PictureTap {
  uint32_t low = 0;
  uint32_t high = 0;
  float weight = 0;  // of `high`
  // For the filter kArea only, where samples between the two weigh 1:
  float low_weight = 0;
  float scale = 0;
  uint32_t stride = 0;  // bytes from sample to sample
};

// The part of an image that is resized, along one axis, in pixels: pixel k covers [k, k + 1).
struct PictureSpan {
  double begin;
  double length;
};

// The samples of a plane along one axis: each covers `coverage` pixels, the first is at byte `base`, the next `stride` bytes on.
struct TapAxis {
  uint32_t samples;
  uint32_t coverage;
  uint32_t base;
  uint32_t stride;
};

// Returns the taps of all outputs along one axis. Output o samples the middle of its part of the span. Positions stay between the
// middles of the span's outermost pixels, so a span of whole pixels is resized as if it had been cut out first. The filter kArea
// does the same where an output covers no more than a sample.
std::vector<PictureTap> taps_of(const TapAxis& axis, PictureSpan span, uint32_t outputs, PictureFilter filter);

}  // namespace nnvk
