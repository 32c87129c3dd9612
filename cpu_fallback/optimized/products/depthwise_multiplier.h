// Computes DEPTHWISE_CONV_2D with several outputs per channel on an image with repeated channels, one output for each.
#pragma once

#include <algorithm>
#include <cstddef>

#include "core/operations/parameters/window_parameters.h"

namespace nnvk::cpu {

// Returns the parameters of the same window on the image that repeats its channels.
inline WindowParameters one_channel_each(WindowParameters p) {
  p.in_channels = p.out_channels;
  p.groups = 1;
  return p;
}

// Writes each of the `values` numbers of `from` `repeats` times to `to`.
template <class T>
void repeat_channels(const T* from, size_t values, size_t repeats, T* to) {
  for (size_t i = 0; i < values; ++i) to = std::fill_n(to, repeats, from[i]);
}

}  // namespace nnvk::cpu
