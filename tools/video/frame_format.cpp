#include "tools/video/frame_format.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <charconv>

namespace nnvk::tools::video {
namespace {

constexpr bool kYuv = true;
constexpr bool kRgb = false;
constexpr size_t kChroma = 1;  // the first component of chroma

// The components of a row: name, second name, access, fourcc, colours, chroma's width and height, count, places.
constexpr std::array kFormats = {
    FrameFormat{"nv12", "", Access::kInPlace, NNVK_FRAME_NV12, kYuv, 2, 2, 3, {{0, 0, 1}, {1, 0, 2}, {1, 1, 2}}},
    FrameFormat{"nv21", "", Access::kInPlace, NNVK_FRAME_NV21, kYuv, 2, 2, 3, {{0, 0, 1}, {1, 1, 2}, {1, 0, 2}}},
    FrameFormat{"yuv420p", "i420", Access::kInPlace, NNVK_FRAME_YUV420, kYuv, 2, 2, 3, {{0, 0, 1}, {1, 0, 1}, {2, 0, 1}}},
    FrameFormat{"yuv422p", "", Access::kEveryOtherRow, NNVK_FRAME_YUV420, kYuv, 2, 1, 3, {{0, 0, 1}, {1, 0, 1}, {2, 0, 1}}},
    FrameFormat{"yuv444p", "", Access::kCopy, NNVK_FRAME_YUV420, kYuv, 1, 1, 3, {{0, 0, 1}, {1, 0, 1}, {2, 0, 1}}},
    FrameFormat{"gray", "grey", Access::kConstantChroma, NNVK_FRAME_YUV420, kYuv, 2, 2, 1, {{0, 0, 1}}},
    FrameFormat{"yuyv422", "yuyv", Access::kInPlace, NNVK_FRAME_YUYV, kYuv, 2, 1, 3, {{0, 0, 2}, {0, 1, 4}, {0, 3, 4}}},
    FrameFormat{"uyvy422", "uyvy", Access::kCopy, NNVK_FRAME_YUV420, kYuv, 2, 1, 3, {{0, 1, 2}, {0, 0, 4}, {0, 2, 4}}},
    FrameFormat{"rgb24", "", Access::kInPlace, NNVK_FRAME_BGR888, kRgb, 1, 1, 3, {{0, 0, 3}, {0, 1, 3}, {0, 2, 3}}},
    FrameFormat{"bgr24", "", Access::kCopy, NNVK_FRAME_BGR888, kRgb, 1, 1, 3, {{0, 2, 3}, {0, 1, 3}, {0, 0, 3}}},
    FrameFormat{"rgba", "", Access::kInPlace, NNVK_FRAME_ABGR8888, kRgb, 1, 1, 3, {{0, 0, 4}, {0, 1, 4}, {0, 2, 4}}},
    FrameFormat{"rgb0", "", Access::kInPlace, NNVK_FRAME_XBGR8888, kRgb, 1, 1, 3, {{0, 0, 4}, {0, 1, 4}, {0, 2, 4}}},
    FrameFormat{"bgra", "", Access::kInPlace, NNVK_FRAME_ARGB8888, kRgb, 1, 1, 3, {{0, 2, 4}, {0, 1, 4}, {0, 0, 4}}},
    FrameFormat{"bgr0", "", Access::kInPlace, NNVK_FRAME_XRGB8888, kRgb, 1, 1, 3, {{0, 2, 4}, {0, 1, 4}, {0, 0, 4}}}};

// Returns the samples of a component in a row, and its rows.
std::pair<uint32_t, uint32_t> samples(const FrameShape& shape, size_t component) {
  if (component < kChroma || !shape.format->is_yuv) return {shape.width, shape.height};
  return {samples_of(shape.width, shape.format->chroma_width), samples_of(shape.height, shape.format->chroma_height)};
}

}  // namespace

const FrameFormat* find_format(std::string_view name) {
  const auto* found = std::ranges::find_if(kFormats, [&](const FrameFormat& format) {
    return format.name == name || (!format.other.empty() && format.other == name);
  });
  return found == kFormats.end() ? nullptr : found;
}

std::string format_names() {
  std::string names;
  for (const FrameFormat& format : kFormats) names += (names.empty() ? "" : ", ") + std::string(format.name);
  return names;
}

std::vector<std::string> format_words() {
  std::vector<std::string> words;
  for (const FrameFormat& format : kFormats) {
    words.emplace_back(format.name);
    if (!format.other.empty()) words.emplace_back(format.other);
  }
  return words;
}

std::vector<FrameShape::Plane> FrameShape::planes() const {
  std::vector<Plane> planes;
  for (size_t c = 0; c < format->count; ++c) {
    const auto& place = format->places[c];
    if (planes.size() <= place.plane) planes.resize(place.plane + size_t{1});
    const auto [width_of, rows] = samples(*this, c);
    Plane& plane = planes[place.plane];
    plane.row_bytes = std::max(plane.row_bytes, width_of * place.step);
    plane.rows = rows;
  }
  for (size_t p = 1; p < planes.size(); ++p) {
    planes[p].offset = planes[p - 1].offset + size_t{planes[p - 1].row_bytes} * planes[p - 1].rows;
  }
  return planes;
}

size_t FrameShape::bytes() const {
  const Plane last = planes().back();
  return last.offset + size_t{last.row_bytes} * last.rows;
}

FrameView FrameShape::view(std::span<uint8_t> bytes) const {
  FrameView view{.width = width, .height = height, .is_yuv = format->is_yuv, .colours = colours, .count = format->count};
  const auto all = planes();
  for (size_t c = 0; c < format->count; ++c) {
    const auto& place = format->places[c];
    const auto [count, rows] = samples(*this, c);
    view.all[c] = {.data = bytes.data() + all[place.plane].offset + place.offset,
                   .stride = all[place.plane].row_bytes,
                   .step = place.step,
                   .width = count,
                   .height = rows};
  }
  return view;
}

nnvk_FrameLayout FrameShape::layout() const {
  nnvk_FrameLayout layout{};
  layout.size = sizeof layout;
  layout.width = width;
  layout.height = height;
  layout.fourcc = format->fourcc;
  for (const Plane& plane : planes()) {
    layout.planes[layout.planeCount++] = {0, static_cast<uint32_t>(plane.offset), plane.row_bytes};
  }
  if (format->access == Access::kEveryOtherRow) {
    for (size_t p = kChroma; p < layout.planeCount; ++p) layout.planes[p].rowPitch *= 2;
  }
  if (format->access == Access::kConstantChroma) {
    const uint32_t pitch = samples_of(width, format->chroma_width);
    while (layout.planeCount < FrameFormat::kMostComponents) layout.planes[layout.planeCount++] = {1, 0, pitch};
  }
  return layout;
}

FrameShape FrameShape::copied() const {
  FrameShape copy = *this;
  copy.format = std::ranges::find_if(
      kFormats, [&](const FrameFormat& other) { return other.fourcc == format->fourcc && other.access == Access::kInPlace; });
  return copy;
}

Result<std::vector<PaintedPlane>> FrameShape::painted() const {
  constexpr float kOpaque = 255;
  const auto all = planes();
  std::vector<PaintedPlane> painted;
  for (const Plane& plane : all) {
    PaintedPlane& added = painted.emplace_back();
    added.offset = plane.offset;
    added.row_bytes = plane.row_bytes;
  }
  for (size_t c = 0; c < format->count; ++c) {
    const auto& place = format->places[c];
    PaintedPlane& plane = painted[place.plane];
    const bool is_chroma = format->is_yuv && c >= kChroma;
    if (is_chroma && place.plane == format->places[0].plane) {
      return fail(fmt::format("nnvk cannot write larger frames of {}; use one of nv12, yuv420p, yuv422p, yuv444p, rgb24, rgba",
                              format->name));
    }
    if (is_chroma) {
      plane.sample_width = format->chroma_width;
      plane.sample_height = format->chroma_height;
    }
    plane.components.resize(place.step, {.weights = {}, .offset = kOpaque});  // alpha
    plane.components[place.offset] = format->is_yuv ? luma_or_chroma(colours, c) : red_green_or_blue(c);
  }
  return painted;
}

Result<FrameShape> parse_size(std::string_view text) {
  FrameShape shape;
  const size_t cross = text.find('x');
  const auto number = [](std::string_view digits, uint32_t& value) {
    const auto [end, error] = std::from_chars(digits.data(), digits.data() + digits.size(), value);
    return error == std::errc() && end == digits.data() + digits.size() && value >= 1 && value <= FrameShape::kMostSide;
  };
  if (cross == std::string_view::npos || !number(text.substr(0, cross), shape.width) ||
      !number(text.substr(cross + 1), shape.height)) {
    return fail(fmt::format("'{}' is no size of frames; write WIDTHxHEIGHT, such as 640x360, up to {} each", text,
                            FrameShape::kMostSide));
  }
  return shape;
}

}  // namespace nnvk::tools::video
