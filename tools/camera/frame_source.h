// Sources of frames: a decoded clip, or a camera. All frames lie in shared frames.
#pragma once

#include <cstddef>
#include <string>

#include "tools/camera/ffmpeg.h"
#include "tools/camera/frame_pool.h"

namespace nnvk::tools::camera {

class FrameSource {
 public:
  virtual ~FrameSource() = default;

  virtual ClipFormat format() const = 0;
  // Returns the name of the frames' encoding: "mpeg4", "YUYV of uvcvideo".
  virtual std::string encoding() const = 0;
  // Returns the next frame, which must not outlive the source; null at the end.
  virtual Result<FramePointer> next() = 0;
  // Returns the shared frame that holds the pixels; null when the decoder put them elsewhere.
  virtual SharedFrame* find(const AVFrame& frame) const = 0;
  // Returns how many shared frames there are.
  virtual size_t shared_frames() const = 0;
};

}  // namespace nnvk::tools::camera
