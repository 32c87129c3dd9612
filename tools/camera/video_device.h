// A camera: a video device of Linux (V4L2) that writes into dma-bufs.
#pragma once

#include <linux/videodev2.h>

#include <memory>
#include <string>
#include <vector>

#include "tools/camera/frame_source.h"

namespace nnvk::tools::camera {

class VideoDevice final : public FrameSource {
 public:
  // Opens a device such as /dev/video0 and starts it with `buffers` frames of NV12, I420 or YUYV. The driver chooses the size
  // nearest to that of `wanted`. The frame rate stays unchanged.
  static Result<std::unique_ptr<VideoDevice>> open(const std::string& path, const ClipFormat& wanted, size_t buffers);
  ~VideoDevice() override;
  VideoDevice(const VideoDevice&) = delete;
  VideoDevice& operator=(const VideoDevice&) = delete;

  ClipFormat format() const override;
  std::string encoding() const override;
  // Returns the camera's next frame; waits for it five seconds at most.
  Result<FramePointer> next() override;
  SharedFrame* find(const AVFrame& frame) const override;
  size_t shared_frames() const override { return frames_.size(); }

 private:
  explicit VideoDevice(std::string path) : path_(std::move(path)) {}
  Status check_abilities();
  Status choose_format(const ClipFormat& wanted);
  Status make_frames(size_t count);
  Status queue(size_t index);
  // Retries an ioctl if a signal interrupts it. The error reads "`path`: `what`: the system's reason".
  Status call(unsigned long request, void* argument, const char* what) const;
  void describe(AVFrame& frame, size_t index) const;
  static void give_back(void* device, uint8_t* data);

  const std::string path_;
  int descriptor_ = -1;
  std::string driver_;
  v4l2_pix_format pixels_{};
  AVRational frame_rate_{30, 1};
  std::vector<std::unique_ptr<SharedFrame>> frames_;  // by V4L2's index
};

// Returns whether `path` is a video device and not a file.
bool is_video_device(const std::string& path);

}  // namespace nnvk::tools::camera
