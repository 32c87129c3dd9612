// Backgrounds behind people and things that a network has found: blurred, or replaced by a colour or picture.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "tools/video/frame_view.h"

namespace nnvk::tools::video {

// How much of each pixel is foreground, from 0 to 255.
struct AlphaMask {
  uint32_t width = 0;
  uint32_t height = 0;
  std::vector<uint8_t> alpha;  // by row
};

// Returns the mask in another size: bilinear, with pixels' middles at halves.
AlphaMask resized(const AlphaMask& mask, uint32_t width, uint32_t height);

// A picture in the components of a frame.
class StillFrame {
 public:
  // These functions make a picture, or one of a single colour (0xRRGGBB), in the size, the components and the colours of `like`,
  // whose pixels are not looked at.
  static Result<std::shared_ptr<const StillFrame>> of_picture(const std::string& path, const FrameView& like);
  static std::shared_ptr<const StillFrame> of_colour(uint32_t rgb, const FrameView& like);

  StillFrame(const FrameView& like, const Picture& picture);
  StillFrame(const StillFrame&) = delete;
  StillFrame& operator=(const StillFrame&) = delete;

  const FrameView& view() const { return view_; }

 private:
  std::vector<uint8_t> bytes_;
  FrameView view_;
};

// Puts `background`, which was made for such frames, behind the foreground.
void replace_background(const FrameView& frame, const AlphaMask& mask, const StillFrame& background);
// Blurs the background with a radius of so many pixels. Foreground does not bleed into it.
void blur_background(const FrameView& frame, const AlphaMask& mask, uint32_t radius);

}  // namespace nnvk::tools::video
