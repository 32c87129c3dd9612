// The value of a picture between its samples, for picture.comp and gather_pixels.comp. The including file defines SAMPLE, the type of
// a sample, and FETCH(at), which reads the sample at a byte. Computes as the reference does (cpu_fallback/reference/picture_sampling.h).
#ifndef NNVK_SHADERS_PICTURE_TAPS_GLSL
#define NNVK_SHADERS_PICTURE_TAPS_GLSL

#include "picture_params.h"

// The sources of the samples of a row or column.
struct Tap {
  uint low;
  uint high;
  float weight;  // of high
  // For kFilterArea only, as in PictureTap:
  float low_weight;
  float scale;
  uint stride;
};

float weight_at(Tap tap, uint at) { return at == tap.low ? tap.low_weight : at == tap.high ? tap.weight : 1.0; }

// Returns the mean of an area. It has one FETCH, so that compilers need little time: an invocation reads up to twelve areas.
// The loops' conditions stand at the top, because lavapipe 22.3 returned wrong sums for loops with a break at the end.
SAMPLE area_mean(Tap row, Tap column, int shift) {
  precise SAMPLE sum = SAMPLE(0.0);
  for (uint down = row.low; down <= row.high; down += row.stride) {
    precise SAMPLE across_sum = SAMPLE(0.0);
    for (uint across = column.low; across <= column.high; across += column.stride) {
      across_sum += FETCH(uint(int(down) + shift) + across) * weight_at(column, across);
    }
    sum += column.scale * across_sum * weight_at(row, down);
  }
  const precise SAMPLE mean = row.scale * sum;
  return mean;
}

// Returns the value of a row and a column by one of the filters. `precise` forbids contraction to fused multiply-adds, which would
// change 8-bit results.
SAMPLE sample_at(uint how, Tap row, Tap column, int shift) {
  if (how == kFilterArea) return area_mean(row, column, shift);
  const uint above = uint(int(row.low) + shift);
  const SAMPLE above_left = FETCH(above + column.low);
  if (how == kFilterNearest) return above_left;
  const uint below = uint(int(row.high) + shift);
  const SAMPLE below_left = FETCH(below + column.low);
  const precise SAMPLE upper = above_left + (FETCH(above + column.high) - above_left) * column.weight;
  const precise SAMPLE lower = below_left + (FETCH(below + column.high) - below_left) * column.weight;
  const precise SAMPLE between = upper + (lower - upper) * row.weight;
  return between;
}

#endif
