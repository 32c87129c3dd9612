// The pixels of a frame, whoever owns them: formats of eight bits. Pure.
#pragma once

#include <nnvk/picture.h>

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "tools/image/picture.h"

namespace nnvk::tools::video {

// The meaning of luma and chroma.
struct Colours {
  int32_t matrix = NNVK_PICTURE_BT601;         // nnvk_PictureColourMatrix
  int32_t range = NNVK_PICTURE_LIMITED_RANGE;  // nnvk_PictureColourRange

  bool operator==(const Colours&) const = default;
};

// Returns how many samples there are of so many pixels.
constexpr uint32_t samples_of(uint32_t pixels, uint32_t per_sample) { return (pixels + per_sample - 1) / per_sample; }

// One component of a frame: a colour of each pixel, or luma, or chroma of fewer pixels.
struct Component {
  uint8_t* data = nullptr;
  size_t stride = 0;  // bytes from a row to the next
  size_t step = 0;    // bytes from a sample to the next
  uint32_t width = 0;
  uint32_t height = 0;

  uint8_t& at(size_t x, size_t y) const { return data[y * stride + x * step]; }
};

struct FrameView {
  uint32_t width = 0;
  uint32_t height = 0;
  bool is_yuv = false;
  Colours colours;  // of YUV
  // Luma, Cb, Cr; or red, green, blue. Grey frames are YUV with luma alone. Alpha is no part of the view.
  std::array<Component, 3> all{};
  uint32_t count = 0;

  std::span<const Component> components() const { return std::span(all).first(count); }
};

// A value of a component is weights[0] * red + weights[1] * green + weights[2] * blue + offset, all from 0 to 255.
struct Mixture {
  std::array<float, 3> weights{};
  float offset = 0;
};

// Returns how component `index` is made: of Y, Cb, Cr with these colours, or of red, green, blue.
Mixture luma_or_chroma(const Colours& colours, size_t index);
Mixture red_green_or_blue(size_t index);

// A plane of a frame, of samples with one or more components: luma, or Cb and Cr, or red, green, blue and alpha.
struct PaintedPlane {
  std::vector<Mixture> components;  // in the order of their bytes
  uint32_t sample_width = 1;        // pixels that become one sample
  uint32_t sample_height = 1;
  size_t offset = 0;       // of its bytes in the frame
  uint32_t row_bytes = 0;  // of a row with its padding
};

// Lays a picture over the whole frame, whose size or a multiple of it the picture has. Pictures of one channel (grey) or three
// are opaque, those of four have alpha.
void lay_over(const FrameView& frame, const Picture& picture);

// Returns the frame as a picture of three channels.
Picture picture_of(const FrameView& frame);

// Copies a frame into one of the same size and kind, whose components may have fewer samples: they become means.
void copy(const FrameView& from, const FrameView& to);

}  // namespace nnvk::tools::video
