// Pictures of FFmpeg's test sources, unchanged and as clips of half their size.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "tools/camera/ffmpeg.h"

namespace nnvk::tools::camera {

// The frames of one of FFmpeg's test sources; they are the same in every run.
class TestPicture {
 public:
  // Opens a source. `source`: a filter without inputs that takes size and rate: testsrc2, mandelbrot, ...
  static Result<TestPicture> open(const std::string& source, const ClipFormat& format);

  // Returns the next frame as interleaved 8-bit RGB; valid until the next call.
  Result<std::span<const uint8_t>> next();

 private:
  FilterPointer graph_;
  AVFilterContext* sink_ = nullptr;
  FramePointer frame_;
  std::vector<uint8_t> rgb_;
};

// Writes an MPEG-4 clip of this format, made of `frames` frames of a test picture of twice the size, reduced by a bicubic filter.
Status write_test_clip(const std::string& path, const std::string& source, const ClipFormat& format, int frames);

// Returns the format of the picture from which write_test_clip() makes a clip of this format.
ClipFormat doubled(const ClipFormat& format);

}  // namespace nnvk::tools::camera
