// Windows of random sizes on images of random sizes.
#pragma once

#include <cstdint>
#include <vector>

#include "core/model/operand.h"
#include "tests/support/plan_fixture.h"

namespace nnvk::test {

// A window that fits on an image.
struct Window {
  uint32_t batches, height, width, filter_height, filter_width, out_height, out_width;
  int32_t left, right, top, bottom, stride_width, stride_height, dilation_width, dilation_height;
};
inline uint32_t outputs(uint32_t in, int32_t pads, uint32_t filter, int32_t stride, int32_t dilation) {
  const int32_t window = static_cast<int32_t>(filter - 1) * dilation + 1;
  const int32_t room = static_cast<int32_t>(in) + pads - window;
  return room < 0 ? 0 : static_cast<uint32_t>(room / stride) + 1;
}
template <class Pick>
Window random_window(Pick pick) {
  Window w{};
  do {
    w.batches = pick(1, 2);
    w.height = pick(1, 12);
    w.width = pick(1, 40);
    const bool is_pointwise = pick(0, 2) == 0;
    w.filter_height = is_pointwise ? 1 : pick(1, 5);
    w.filter_width = is_pointwise ? 1 : pick(1, 5);
    const auto pad = [&](uint32_t filter) { return static_cast<int32_t>(pick(0, 1) == 0 ? 0 : pick(0, filter - 1)); };
    w.left = pad(w.filter_width);
    w.right = pad(w.filter_width);
    w.top = pad(w.filter_height);
    w.bottom = pad(w.filter_height);
    w.stride_width = static_cast<int32_t>(pick(1, 3));
    w.stride_height = static_cast<int32_t>(pick(1, 3));
    w.dilation_width = static_cast<int32_t>(pick(1, 2));
    w.dilation_height = static_cast<int32_t>(pick(1, 2));
    w.out_height = outputs(w.height, w.top + w.bottom, w.filter_height, w.stride_height, w.dilation_height);
    w.out_width = outputs(w.width, w.left + w.right, w.filter_width, w.stride_width, w.dilation_width);
  } while (w.out_height == 0 || w.out_width == 0);
  return w;
}

// A window of 3x3 cells whose dilation moves most of its cells out of the image.
template <class Pick>
Window wide_window(Pick pick) {
  Window w{};
  w.batches = pick(1, 2);
  w.filter_height = w.filter_width = 3;
  w.stride_width = static_cast<int32_t>(pick(1, 2));
  w.stride_height = static_cast<int32_t>(pick(1, 2));
  do {
    w.height = pick(1, 12);
    w.width = pick(1, 20);
    w.dilation_width = static_cast<int32_t>(pick(1, 14));
    w.dilation_height = static_cast<int32_t>(pick(1, 14));
    const auto pad = [&](int32_t dilation) { return pick(0, 3) == 0 ? dilation - 1 : dilation; };
    w.left = pad(w.dilation_width);
    w.right = pad(w.dilation_width);
    w.top = pad(w.dilation_height);
    w.bottom = pad(w.dilation_height);
    w.out_height = outputs(w.height, w.top + w.bottom, 3, w.stride_height, w.dilation_height);
    w.out_width = outputs(w.width, w.left + w.right, 3, w.stride_width, w.dilation_width);
  } while (w.out_height == 0 || w.out_width == 0);
  return w;
}

inline Shape image_of(uint32_t batches, uint32_t height, uint32_t width, uint32_t channels, bool nchw) {
  return nchw ? Shape{batches, channels, height, width} : Shape{batches, height, width, channels};
}

// The inputs of DEPTHWISE_CONV_2D besides its window.
struct Depthwise {
  TensorId image, filter, bias;
  uint32_t multiplier;
  int32_t activation;
  bool nchw;
};
inline std::vector<TensorId> depthwise_inputs(PlanFixture& m, const Window& w, const Depthwise& d) {
  return {d.image,
          d.filter,
          d.bias,
          m.scalar(w.left),
          m.scalar(w.right),
          m.scalar(w.top),
          m.scalar(w.bottom),
          m.scalar(w.stride_width),
          m.scalar(w.stride_height),
          m.scalar(static_cast<int32_t>(d.multiplier)),
          m.scalar(d.activation),
          m.flag(d.nchw),
          m.scalar(w.dilation_width),
          m.scalar(w.dilation_height)};
}

}  // namespace nnvk::test
