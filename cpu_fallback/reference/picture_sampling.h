// The value of a picture between its samples, for the kernels that resize pictures and images.
#pragma once

#include "core/operations/parameters/picture_taps.h"

namespace nnvk::cpu {

inline float lerp(float a, float b, float weight) { return a + (b - a) * weight; }

// Returns the mean of the values at the samples of a tap.
template <class Value>
float mean(const PictureTap& tap, const Value& value) {
  float sum = 0;
  for (uint32_t at = tap.low; at <= tap.high; at += tap.stride) {
    sum += value(at) * (at == tap.low ? tap.low_weight : at == tap.high ? tap.weight : 1.0F);
  }
  return tap.scale * sum;
}

// Returns the value of one row and column of the result. `value(down, across)` is that of a sample.
template <class Value>
float filtered(PictureFilter filter, const PictureTap& row, const PictureTap& column, const Value& value) {
  if (filter == PictureFilter::kNearest) return value(row.low, column.low);
  if (filter == PictureFilter::kArea) {
    return mean(row, [&](uint32_t down) { return mean(column, [&](uint32_t across) { return value(down, across); }); });
  }
  const float above = lerp(value(row.low, column.low), value(row.low, column.high), column.weight);
  const float below = lerp(value(row.high, column.low), value(row.high, column.high), column.weight);
  return lerp(above, below, row.weight);
}

}  // namespace nnvk::cpu
