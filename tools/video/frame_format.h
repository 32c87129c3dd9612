// Formats of frames in streams: rows without padding, one plane after the other. Pure.
#pragma once

#include <nnvk/hardware_buffer.h>

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "tools/nnapi/result.h"
#include "tools/video/frame_view.h"

namespace nnvk::tools::video {

// How a network gets the frames of a format.
enum class Access : uint8_t {
  kInPlace,         // as they are
  kEveryOtherRow,   // as they are, but of the chroma every other row
  kConstantChroma,  // as they are, with chroma of its own memory
  kCopy,            // by a copy in another format
};

struct FrameFormat {
  static constexpr size_t kMostComponents = 3;

  struct Place {
    uint8_t plane;
    uint8_t offset;  // of the first sample
    uint8_t step;    // bytes from a sample to the next
  };

  std::string_view name;   // FFmpeg's
  std::string_view other;  // a second name; "": none
  Access access;
  uint32_t fourcc;  // an nnvk_FrameFormat; of a copy: its format
  bool is_yuv;
  uint32_t chroma_width;  // pixels per sample
  uint32_t chroma_height;
  uint8_t count;  // of components: luma, Cb, Cr; or red, green, blue
  Place places[kMostComponents];
};

// Returns the format of a name, or null.
const FrameFormat* find_format(std::string_view name);
// Returns the names of all formats: "nv12, nv21, ...".
std::string format_names();
// Returns them as words, with the other names.
std::vector<std::string> format_words();

// Frames of one format and size.
struct FrameShape {
  static constexpr uint32_t kMostSide = 16384;  // pixels

  const FrameFormat* format = nullptr;
  uint32_t width = 0;
  uint32_t height = 0;
  Colours colours{};

  struct Plane {
    size_t offset = 0;
    uint32_t row_bytes = 0;
    uint32_t rows = 0;
  };
  std::vector<Plane> planes() const;
  size_t bytes() const;
  // Returns the frame in these bytes.
  FrameView view(std::span<uint8_t> bytes) const;
  // Returns the layout of frames at the beginning of a memory, for a network. With Access::kConstantChroma, the chroma is a
  // second memory, of chroma_row_bytes(). Not for Access::kCopy: copied() has one.
  nnvk_FrameLayout layout() const;
  // Returns frames of the format that a network gets copies in.
  FrameShape copied() const;
  // Returns how a network paints such frames. Fails for formats whose components lie too far from each other.
  Result<std::vector<PaintedPlane>> painted() const;
};

// Reads "640x360". Fails if it is something else, or more than kMostSide.
Result<FrameShape> parse_size(std::string_view text);

}  // namespace nnvk::tools::video
