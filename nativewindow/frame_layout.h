// Which frames a program may bring: formats, planes, strides and sizes, with words for whatever is wrong. Pure: descriptors are
// numbers of bytes here.
#pragma once

#include <nnvk/hardware_buffer.h>

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "nativewindow/description.h"

namespace nnvk::nativewindow {

// Negative errno, and what to tell the caller; code 0: nothing is wrong.
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
  uint32_t pixel_bytes;   // of a pixel, or of a luma sample to the next: describe's stride counts these
  uint32_t sample_bytes;  // whose multiples offsets and pitches are
  uint32_t chroma_width;  // pixels per chroma sample; 0: not YUV
  uint32_t chroma_height;
  // Where the three components are: plane, bytes from its first sample, bytes to the next one. Not YUV: the first alone.
  struct Component {
    uint32_t plane, offset, pixel_stride;
  } components[3];

  bool is_yuv() const { return chroma_width != 0; }
};

// Null: no format of frames.
const FrameFormat* find_frame_format(uint32_t fourcc);

// The part of a memory that the planes lie in.
struct FramePart {
  uint32_t memory = 0;   // index of the descriptor
  uint64_t offset = 0;   // into the memory: a multiple of kPage
  uint64_t size = 0;     // bytes
  uint64_t address = 0;  // where it is mapped, from the start of the buffer: a multiple of kPage
};

// What a buffer over a frame is, and where everything lies in it. The parts are mapped side by side.
struct FramePlan {
  AHardwareBuffer_Desc description{};
  Layout layout;
  std::vector<FramePart> parts;
};

// What is wrong with a frame whatever its memories are. Usage and flags are not looked at.
Problem check_frame(const nnvk_FrameLayout& frame, size_t memories);

// `memories`: the sizes of the descriptors in bytes. The frame has passed check_frame().
Problem plan_frame(const nnvk_FrameLayout& frame, std::span<const uint64_t> memories, FramePlan& plan);

// The frame that a buffer made by AHardwareBuffer_allocate is; false when its format is none of frames.
bool frame_of(const AHardwareBuffer_Desc& description, const Layout& layout, nnvk_FrameLayout& frame);

}  // namespace nnvk::nativewindow
