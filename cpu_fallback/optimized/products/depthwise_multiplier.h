// DEPTHWISE_CONV_2D with several outputs per image channel: as one with a single output per channel, of an image that repeats its
// channels.
#pragma once

#include <algorithm>
#include <cstddef>

#include "core/operations/parameters/window_parameters.h"

namespace nnvk::cpu {

// The same window on the image that repeats its channels.
inline WindowParameters one_channel_each(WindowParameters p) {
  p.in_channels = p.out_channels;
  p.groups = 1;
  return p;
}

// Repeats every channel of some pixels; `values`: of all of them.
template <class T>
void repeat_channels(const T* from, size_t values, size_t repeats, T* to) {
  for (size_t i = 0; i < values; ++i) to = std::fill_n(to, repeats, from[i]);
}

}  // namespace nnvk::cpu
