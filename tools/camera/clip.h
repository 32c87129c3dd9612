// FFmpeg's test pictures: unchanged, and as a clip of half their size.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "tools/camera/ffmpeg.h"

namespace nnvk::tools::camera {

// The frames of one of FFmpeg's sources, the same every time.
class TestPicture {
 public:
  // `source`: a filter without inputs that takes size and rate: testsrc2, mandelbrot, ...
  static Result<TestPicture> open(const std::string& source, const ClipFormat& format);

  // The next frame as interleaved 8-bit RGB; valid until the next call.
  Result<std::span<const uint8_t>> next();

 private:
  FilterPointer graph_;
  AVFilterContext* sink_ = nullptr;
  FramePointer frame_;
  std::vector<uint8_t> rgb_;
};

// Writes `frames` frames of a test picture of twice the size as an MPEG-4 clip of this format, reduced by a bicubic filter.
Status write_test_clip(const std::string& path, const std::string& source, const ClipFormat& format, int frames);

// The format of the picture that such a clip is made of.
ClipFormat doubled(const ClipFormat& format);

}  // namespace nnvk::tools::camera
