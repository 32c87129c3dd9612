// The table of formats, and checks in 64 bits, so that no value of a caller or peer can overflow.
#include "nativewindow/frame_layout.h"

#include <algorithm>
#include <array>
#include <cerrno>
#include <limits>

namespace nnvk::nativewindow {
namespace {

// Android's internal numbers of formats of frames, for formats without a public number.
constexpr uint32_t kFormatBgra = 5;
constexpr uint32_t kFormatNv16 = 0x10;
constexpr uint32_t kFormatYuyv = 0x14;  // and UYVY
constexpr uint64_t kMostBytes = std::numeric_limits<int32_t>::max();

constexpr std::array<FrameFormat, 15> kFormats = {{
    {NNVK_FRAME_NV12, "NV12", AHARDWAREBUFFER_FORMAT_Y8Cb8Cr8_420, 2, 1, 1, 2, 2, {{0, 0, 1}, {1, 0, 2}, {1, 1, 2}}},
    {NNVK_FRAME_NV21, "NV21", AHARDWAREBUFFER_FORMAT_Y8Cb8Cr8_420, 2, 1, 1, 2, 2, {{0, 0, 1}, {1, 1, 2}, {1, 0, 2}}},
    {NNVK_FRAME_YUV420, "YUV420", AHARDWAREBUFFER_FORMAT_Y8Cb8Cr8_420, 3, 1, 1, 2, 2, {{0, 0, 1}, {1, 0, 1}, {2, 0, 1}}},
    {NNVK_FRAME_YVU420, "YVU420", AHARDWAREBUFFER_FORMAT_Y8Cb8Cr8_420, 3, 1, 1, 2, 2, {{0, 0, 1}, {2, 0, 1}, {1, 0, 1}}},
    {NNVK_FRAME_P010, "P010", AHARDWAREBUFFER_FORMAT_YCbCr_P010, 2, 2, 2, 2, 2, {{0, 0, 2}, {1, 0, 4}, {1, 2, 4}}},
    {NNVK_FRAME_P210, "P210", AHARDWAREBUFFER_FORMAT_YCbCr_P210, 2, 2, 2, 2, 1, {{0, 0, 2}, {1, 0, 4}, {1, 2, 4}}},
    {NNVK_FRAME_YUYV, "YUYV", kFormatYuyv, 1, 2, 1, 2, 1, {{0, 0, 2}, {0, 1, 4}, {0, 3, 4}}},
    {NNVK_FRAME_UYVY, "UYVY", kFormatYuyv, 1, 2, 1, 2, 1, {{0, 1, 2}, {0, 0, 4}, {0, 2, 4}}},
    {NNVK_FRAME_NV16, "NV16", kFormatNv16, 2, 1, 1, 2, 1, {{0, 0, 1}, {1, 0, 2}, {1, 1, 2}}},
    {NNVK_FRAME_R8, "R8", AHARDWAREBUFFER_FORMAT_R8_UNORM, 1, 1, 1, 0, 0, {{0, 0, 1}}},
    {NNVK_FRAME_ABGR8888, "ABGR8888", AHARDWAREBUFFER_FORMAT_R8G8B8A8_UNORM, 1, 4, 4, 0, 0, {{0, 0, 4}}},
    {NNVK_FRAME_XBGR8888, "XBGR8888", AHARDWAREBUFFER_FORMAT_R8G8B8X8_UNORM, 1, 4, 4, 0, 0, {{0, 0, 4}}},
    {NNVK_FRAME_ARGB8888, "ARGB8888", kFormatBgra, 1, 4, 4, 0, 0, {{0, 0, 4}}},
    {NNVK_FRAME_XRGB8888, "XRGB8888", kFormatBgra, 1, 4, 4, 0, 0, {{0, 0, 4}}},
    {NNVK_FRAME_BGR888, "BGR888", AHARDWAREBUFFER_FORMAT_R8G8B8_UNORM, 1, 3, 1, 0, 0, {{0, 0, 3}}},
}};

uint64_t divide_up(uint64_t value, uint64_t by) { return (value + by - 1) / by; }
uint64_t round_up(uint64_t value, uint64_t step) { return divide_up(value, step) * step; }

Problem bad(std::string text) { return {-EINVAL, std::move(text)}; }

std::string format_names() {
  std::string names;
  for (const FrameFormat& format : kFormats) names += (names.empty() ? "" : ", ") + std::string(format.name);
  return names;
}

std::string fourcc_text(uint32_t fourcc) {
  std::string text = std::to_string(fourcc) + " ('";
  for (int i = 0; i < 4; ++i) {
    const auto letter = static_cast<char>(fourcc >> (8 * i) & 0xff);
    text += letter >= ' ' && letter <= '~' ? letter : '?';
  }
  return text + "')";
}

struct PlaneSize {
  uint64_t row_bytes;  // used bytes of a row
  uint64_t rows;
};

PlaneSize size_of_plane(const FrameFormat& format, uint32_t plane, uint32_t width, uint32_t height) {
  if (!format.is_yuv()) return {uint64_t{width} * format.pixel_bytes, height};
  if (format.plane_count == 1) return {divide_up(width, format.chroma_width) * format.components[1].pixel_stride, height};
  if (plane == 0) return {uint64_t{width} * format.pixel_bytes, height};
  return {divide_up(width, format.chroma_width) * format.components[1].pixel_stride, divide_up(height, format.chroma_height)};
}

// Returns the end of a plane, which is below 2^32 + 2^32 * 2^32. The last row may end with its last sample.
uint64_t end_of_plane(const nnvk_FramePlane& plane, const PlaneSize& size) {
  return plane.offset + (size.rows - 1) * plane.rowPitch + size.row_bytes;
}

Problem check_plane(const FrameFormat& format, const nnvk_FrameLayout& frame, uint32_t index,
                    std::span<const uint64_t> memories) {
  const nnvk_FramePlane& plane = frame.planes[index];
  const std::string name = "plane " + std::to_string(index) + " of " + format.name;
  const PlaneSize size = size_of_plane(format, index, frame.width, frame.height);
  const std::string samples = std::to_string(format.sample_bytes) + " bytes";
  if (plane.offset % format.sample_bytes != 0) {
    return bad(name + " begins at offset " + std::to_string(plane.offset) + "; it begins at a multiple of " + samples);
  }
  if (plane.rowPitch < size.row_bytes) {
    return bad(name + " has a row pitch of " + std::to_string(plane.rowPitch) + " bytes; its rows of " +
               std::to_string(frame.width) + " pixels need at least " + std::to_string(size.row_bytes) +
               " (pitches are bytes, not pixels)");
  }
  if (plane.rowPitch % format.sample_bytes != 0) {
    return bad(name + " has a row pitch of " + std::to_string(plane.rowPitch) + " bytes; it is a multiple of " + samples);
  }
  const uint64_t end = end_of_plane(plane, size);
  const uint64_t memory = memories[plane.fdIndex];
  if (end > memory) {
    return bad(name + " ends at byte " + std::to_string(end) + " (offset " + std::to_string(plane.offset) + ", " +
               std::to_string(size.rows) + " rows of " + std::to_string(plane.rowPitch) + " bytes), its memory has " +
               std::to_string(memory) + "; the offset, the pitch or the height is wrong, or the memory is that of another frame");
  }
  return {};
}

// Finds the parts of the memories that the planes need, and the addresses to map them at.
Problem place_parts(const FrameFormat& format, const nnvk_FrameLayout& frame, size_t memories, FramePlan& plan) {
  uint64_t address = 0;
  for (uint32_t m = 0; m < memories; ++m) {
    uint64_t begin = std::numeric_limits<uint64_t>::max();
    uint64_t end = 0;
    for (uint32_t p = 0; p < frame.planeCount; ++p) {
      const nnvk_FramePlane& plane = frame.planes[p];
      if (plane.fdIndex != m) continue;
      begin = std::min<uint64_t>(begin, plane.offset);
      end = std::max(end, end_of_plane(plane, size_of_plane(format, p, frame.width, frame.height)));
    }
    if (end == 0) continue;  // no plane lies there
    begin = begin / kPage * kPage;
    plan.parts.push_back({m, begin, end - begin, address});
    // Consumers address all planes relative to one byte, with 31 bits.
    if (address > kMostBytes || end - begin > kMostBytes - address) {
      return bad(
          "the planes of the frame, with the memory between them, span 2^31 bytes or more; that is more than a picture "
          "may have");
    }
    plan.layout.size = address + (end - begin);
    address = round_up(plan.layout.size, kPage);
  }
  return {};
}

}  // namespace

const FrameFormat* find_frame_format(uint32_t fourcc) {
  const auto* found = std::find_if(kFormats.begin(), kFormats.end(), [fourcc](const auto& f) { return f.fourcc == fourcc; });
  return found == kFormats.end() ? nullptr : found;
}

Problem check_frame(const nnvk_FrameLayout& frame, size_t memories) {
  const FrameFormat* const format = find_frame_format(frame.fourcc);
  if (format == nullptr) {
    return {-ENOSYS, "frames of fourcc " + fourcc_text(frame.fourcc) + " are unknown; there are " + format_names()};
  }
  if (frame.modifier != NNVK_FRAME_MODIFIER_LINEAR) {
    return {-ENOSYS, "the frame has modifier " + std::to_string(frame.modifier) +
                         "; only linear frames (modifier 0) can be read: ask their producer for linear ones"};
  }
  if (frame.width == 0 || frame.height == 0) {
    return bad("the frame is " + std::to_string(frame.width) + " x " + std::to_string(frame.height) + "; it is at least 1 x 1");
  }
  if (frame.planeCount != format->plane_count) {
    return bad(std::string(format->name) + " frames have " + std::to_string(format->plane_count) +
               (format->plane_count == 1 ? " plane" : " planes") + ", this one " + std::to_string(frame.planeCount));
  }
  for (uint32_t p = 0; p < frame.planeCount; ++p) {
    if (frame.planes[p].fdIndex < memories) continue;
    return bad("plane " + std::to_string(p) + " of " + format->name + " has the descriptor index " +
               std::to_string(frame.planes[p].fdIndex) + "; there are " + std::to_string(memories) +
               " descriptors, and indices count from 0");
  }
  return {};
}

Problem plan_frame(const nnvk_FrameLayout& frame, std::span<const uint64_t> memories, FramePlan& plan) {
  const FrameFormat* const format = find_frame_format(frame.fourcc);
  for (uint32_t p = 0; p < frame.planeCount; ++p) {
    if (Problem problem = check_plane(*format, frame, p, memories); problem.code != 0) return problem;
    if (p == 2 && frame.planes[2].rowPitch != frame.planes[1].rowPitch) {
      return bad("the chroma planes of " + std::string(format->name) + " have row pitches of " +
                 std::to_string(frame.planes[1].rowPitch) + " and " + std::to_string(frame.planes[2].rowPitch) +
                 " bytes; they have the same");
    }
  }
  plan = {};
  if (Problem problem = place_parts(*format, frame, memories.size(), plan); problem.code != 0) return problem;
  Layout& layout = plan.layout;
  layout.stride = frame.planes[0].rowPitch % format->pixel_bytes == 0 ? frame.planes[0].rowPitch / format->pixel_bytes : 0;
  layout.plane_count = format->is_yuv() ? 3 : 1;
  for (uint32_t c = 0; c < layout.plane_count; ++c) {
    const auto& component = format->components[c];
    const nnvk_FramePlane& plane = frame.planes[component.plane];
    const auto part = std::find_if(plan.parts.begin(), plan.parts.end(),
                                   [&](const FramePart& candidate) { return candidate.memory == plane.fdIndex; });
    layout.planes[c] = {part->address + plane.offset - part->offset + component.offset, component.pixel_stride, plane.rowPitch};
  }
  plan.description.width = frame.width;
  plan.description.height = frame.height;
  plan.description.layers = 1;
  plan.description.format = format->android_format;
  plan.description.usage = frame.usage;
  plan.description.stride = layout.stride;
  return {};
}

bool frame_of(const AHardwareBuffer_Desc& description, const Layout& layout, nnvk_FrameLayout& frame) {
  // If several frame formats have this Android format, the first is NV12, whose layout AHardwareBuffer_allocate uses.
  const auto* format = std::find_if(kFormats.begin(), kFormats.end(),
                                    [&](const FrameFormat& f) { return f.android_format == description.format; });
  if (format == kFormats.end() || description.layers != 1) return false;
  frame = {};
  frame.size = sizeof frame;
  frame.width = description.width;
  frame.height = description.height;
  frame.fourcc = format->fourcc;
  frame.modifier = NNVK_FRAME_MODIFIER_LINEAR;
  frame.usage = description.usage;
  frame.planeCount = format->plane_count;
  for (uint32_t p = 0; p < frame.planeCount; ++p) {
    frame.planes[p] = {0, static_cast<uint32_t>(layout.planes[p].offset), layout.planes[p].row_stride};
  }
  return true;
}

}  // namespace nnvk::nativewindow
