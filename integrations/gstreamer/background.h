// Backgrounds behind people and things that a network has found: blurred, or replaced by a colour or picture.
#pragma once

#include <gst/video/video.h>

#include <array>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "tools/nnapi/result.h"

namespace nnvk::gstreamer {

// How much of each pixel is foreground, from 0 to 255.
struct AlphaMask {
  guint width = 0;
  guint height = 0;
  std::vector<uint8_t> alpha;  // by row
};

// Returns the mask in another size: bilinear, with pixels' middles at halves.
AlphaMask resized(const AlphaMask& mask, guint width, guint height);

// A frame in memory of its own.
class OwnFrame {
 public:
  // Makes a frame of a picture (or one pixel of colour), in the format, size and colours of `info`.
  static tools::Result<std::shared_ptr<const OwnFrame>> of_picture(const std::string& path, const GstVideoInfo& info);
  static tools::Result<std::shared_ptr<const OwnFrame>> of_colour(guint32 argb, const GstVideoInfo& info);
  ~OwnFrame();
  OwnFrame(const OwnFrame&) = delete;
  OwnFrame& operator=(const OwnFrame&) = delete;

  const GstVideoFrame& frame() const { return frame_; }

 private:
  OwnFrame() = default;
  static tools::Result<std::shared_ptr<const OwnFrame>> converted(std::span<const uint8_t> rgba, guint width, guint height,
                                                                  const GstVideoInfo& info);

  GstVideoFrame frame_{};
};

// Puts `background`, which has the frame's format, behind the foreground. Formats of eight bits.
void replace_background(GstVideoFrame& frame, const AlphaMask& mask, const GstVideoFrame& background);
// Blurs the background with a radius of so many pixels. Foreground does not bleed into it.
void blur_background(GstVideoFrame& frame, const AlphaMask& mask, guint radius);

}  // namespace nnvk::gstreamer
