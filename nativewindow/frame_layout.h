// Validates the frames that a program brings: formats, planes, strides and sizes, with a text for every error. Pure: descriptors
// are sizes in bytes here.
#pragma once

#include <nnvk/hardware_buffer.h>

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "nativewindow/description.h"

namespace nnvk::nativewindow {

// Negative errno, and the text for the caller; code 0: no error.
struct Problem {
  int code = 0;
  std::string text;
};

constexpr uint32_t kMostMemories = 4;

// How the samples of a format lie in its planes.
struct FrameFormat {
  uint32_t fourcc;
  const char* name;
  uint32_t android_format;
  uint32_t plane_count;
  uint32_t pixel_bytes;   // of a pixel (YUV: from a luma sample to the next), the unit of AHardwareBuffer_Desc::stride
  uint32_t sample_bytes;  // offsets and pitches are multiples of it
  uint32_t chroma_width;  // pixels per chroma sample; 0: not YUV
  uint32_t chroma_height;
  // The positions of the three components: plane, bytes from its first sample, bytes from pixel to pixel. Formats that are not
  // YUV have only the first.
  struct Component {
    uint32_t plane, offset, pixel_stride;
  } components[3];

  bool is_yuv() const { return chroma_width != 0; }
};

// Null if there is no format of this number.
const FrameFormat* find_frame_format(uint32_t fourcc);

// The part of a memory that the planes lie in.
struct FramePart {
  uint32_t memory = 0;   // index of the descriptor
  uint64_t offset = 0;   // into the memory: a multiple of kPage
  uint64_t size = 0;     // bytes
  uint64_t address = 0;  // of its mapping, from the start of the buffer: a multiple of kPage
};

// A plan for the buffer over a frame: its description, its layout, and the parts to map side by side.
struct FramePlan {
  AHardwareBuffer_Desc description{};
  Layout layout;
  std::vector<FramePart> parts;
};

// Checks everything that does not depend on the frame's memories. Ignores usage and flags.
Problem check_frame(const nnvk_FrameLayout& frame, size_t memories);

// `memories`: the sizes of the descriptors in bytes. The frame has passed check_frame().
Problem plan_frame(const nnvk_FrameLayout& frame, std::span<const uint64_t> memories, FramePlan& plan);

// Returns the frame in a buffer that AHardwareBuffer_allocate made; false if its format is no frame format.
bool frame_of(const AHardwareBuffer_Desc& description, const Layout& layout, nnvk_FrameLayout& frame);

}  // namespace nnvk::nativewindow
