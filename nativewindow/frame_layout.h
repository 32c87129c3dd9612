// Validates the frames that a program passes: formats, planes, strides and sizes, with a text for every error. Pure: knows only
// the sizes of descriptors, not the descriptors.
#pragma once

#include <nnvk/hardware_buffer.h>

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "nativewindow/description.h"

namespace nnvk::nativewindow {

// An error: a negative errno and a text for the caller. Code 0: no error.
struct Problem {
  int code = 0;
  std::string text;
};

constexpr uint32_t kMostMemories = 4;

// The positions of a format's samples in its planes.
struct FrameFormat {
  uint32_t fourcc;
  const char* name;
  uint32_t android_format;
  uint32_t plane_count;
  uint32_t pixel_bytes;   // of a pixel (YUV: from a luma sample to the next), the unit of AHardwareBuffer_Desc::stride
  uint32_t sample_bytes;  // offsets and pitches are multiples of it
  uint32_t chroma_width;  // pixels per chroma sample; 0: not YUV
  uint32_t chroma_height;
  // The positions of the three components: plane, bytes from the plane's first sample, bytes from pixel to pixel. Formats that
  // are not YUV have only the first component.
  struct Component {
    uint32_t plane, offset, pixel_stride;
  } components[3];

  bool is_yuv() const { return chroma_width != 0; }
};

// Returns the format with this number; null if there is none.
const FrameFormat* find_frame_format(uint32_t fourcc);

// The part of a memory in which the planes lie.
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

// Plans the buffer. `memories`: the sizes of the descriptors in bytes. The frame must have passed check_frame().
Problem plan_frame(const nnvk_FrameLayout& frame, std::span<const uint64_t> memories, FramePlan& plan);

// Describes a buffer of AHardwareBuffer_allocate as a frame. Returns false if no frame format matches its format.
bool frame_of(const AHardwareBuffer_Desc& description, const Layout& layout, nnvk_FrameLayout& frame);

}  // namespace nnvk::nativewindow
