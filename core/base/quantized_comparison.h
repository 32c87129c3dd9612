// Comparisons of 8-bit values with different scales. CPU and GPU use the same adjusted scales, so that they agree on every pair.
#pragma once

#include <algorithm>
#include <cmath>
#include <limits>

namespace nnvk {

// Two scales, both multiplied by the power of two that brings the larger one into [1, 2).
struct ComparableScales {
  float a = 1.0F;
  float b = 1.0F;
};

// Returns the scales with which to compare tensors whose scales `a` and `b` are > 0. The specification compares float32((q - zero
// point) * scale) of both sides. A common power of two as a factor changes neither roundings nor order. It keeps the products
// clear of overflow and of denormals, which a GPU may flush to zero.
inline ComparableScales comparable_scales(float a, float b) {
  a = std::min(a, std::numeric_limits<float>::max());
  b = std::min(b, std::numeric_limits<float>::max());
  int exponent = 0;
  std::frexp(std::max(a, b), &exponent);
  // A scale below this bound gives the same order as the bound: 255 steps of either are less than one step of the other scale.
  const float least = std::ldexp(1.0F, -60);
  return {std::max(std::ldexp(a, 1 - exponent), least), std::max(std::ldexp(b, 1 - exponent), least)};
}

}  // namespace nnvk
