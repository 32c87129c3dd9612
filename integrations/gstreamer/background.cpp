#include "integrations/gstreamer/background.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <utility>

#include "tools/image/picture.h"

namespace nnvk::gstreamer {
namespace {

using tools::fail;
using tools::Result;

constexpr int kOpaque = 255;

// One component of a frame: a colour of each pixel, or luma, or chroma of fewer pixels.
struct Component {
  uint8_t* data;
  size_t stride;
  size_t step;  // bytes from a sample to the next
  guint width;
  guint height;

  uint8_t& at(size_t x, size_t y) const { return data[y * stride + x * step]; }
};

Component component_of(const GstVideoFrame& frame, guint index) {
  return {.data = static_cast<uint8_t*>(GST_VIDEO_FRAME_COMP_DATA(&frame, index)),
          .stride = static_cast<size_t>(GST_VIDEO_FRAME_COMP_STRIDE(&frame, index)),
          .step = static_cast<size_t>(GST_VIDEO_FRAME_COMP_PSTRIDE(&frame, index)),
          .width = static_cast<guint>(GST_VIDEO_FRAME_COMP_WIDTH(&frame, index)),
          .height = static_cast<guint>(GST_VIDEO_FRAME_COMP_HEIGHT(&frame, index))};
}

// Returns the number of components without alpha.
guint colour_components(const GstVideoFrame& frame) {
  const guint all = GST_VIDEO_FRAME_N_COMPONENTS(&frame);
  return GST_VIDEO_INFO_HAS_ALPHA(&frame.info) ? all - 1 : all;
}

uint8_t mixed(int foreground, int background, int alpha) {
  return static_cast<uint8_t>((foreground * alpha + background * (kOpaque - alpha) + kOpaque / 2) / kOpaque);
}

// The masks in the sizes of a frame's components.
class Masks {
 public:
  explicit Masks(const AlphaMask& mask) : mask_(mask) {}

  const AlphaMask& of_size(guint width, guint height) {
    const auto [found, is_new] = sizes_.try_emplace({width, height});
    if (is_new) found->second = resized(mask_, width, height);
    return found->second;
  }

 private:
  const AlphaMask& mask_;
  std::map<std::pair<guint, guint>, AlphaMask> sizes_;
};

// Replaces each value by the sum of those up to `radius` away in its row; `count` rows, whose values lie `step` apart.
void sum_rows(std::vector<float>& values, size_t length, size_t step, size_t count, size_t next_row, size_t radius) {
  std::vector<float> row(length);
  for (size_t r = 0; r < count; ++r) {
    float* const begin = values.data() + r * next_row;
    for (size_t i = 0; i < length; ++i) row[i] = begin[i * step];
    double sum = 0;  // floats would drift along the row
    for (size_t i = 0; i < std::min(radius, length); ++i) sum += row[i];
    for (size_t i = 0; i < length; ++i) {
      if (i + radius < length) sum += row[i + radius];
      begin[i * step] = static_cast<float>(sum);
      if (i >= radius) sum -= row[i - radius];
    }
  }
}

// Sums over boxes twice, which is nearly the sum of a smooth window. The scale does not matter: it is divided by a sum of
// weights.
void blur(std::vector<float>& values, size_t width, size_t height, size_t radius) {
  constexpr int kTimes = 2;
  for (int i = 0; i < kTimes; ++i) {
    sum_rows(values, width, 1, height, width, radius);
    sum_rows(values, height, width, width, 1, radius);
  }
}

}  // namespace

AlphaMask resized(const AlphaMask& mask, guint width, guint height) {
  AlphaMask result{.width = width, .height = height, .alpha = std::vector<uint8_t>(size_t{width} * height)};
  // Returns the two places between which a pixel's middle lies, and the part of the second one.
  const auto between = [](guint at, guint to, guint from) {
    const float place = std::clamp((static_cast<float>(at) + 0.5F) * static_cast<float>(from) / static_cast<float>(to) - 0.5F,
                                   0.0F, static_cast<float>(from - 1));
    const auto first = static_cast<size_t>(place);
    return std::tuple(first, std::min<size_t>(first + 1, from - 1), place - static_cast<float>(first));
  };
  for (guint y = 0; y < height; ++y) {
    const auto [top, bottom, lower] = between(y, height, mask.height);
    for (guint x = 0; x < width; ++x) {
      const auto [left, right, later] = between(x, width, mask.width);
      const auto value = [&](size_t row, size_t column) { return static_cast<float>(mask.alpha[row * mask.width + column]); };
      const float above = value(top, left) + (value(top, right) - value(top, left)) * later;
      const float below = value(bottom, left) + (value(bottom, right) - value(bottom, left)) * later;
      result.alpha[size_t{y} * width + x] = static_cast<uint8_t>(std::lround(above + (below - above) * lower));
    }
  }
  return result;
}

Result<std::shared_ptr<const OwnFrame>> OwnFrame::of_picture(const std::string& path, const GstVideoInfo& info) {
  constexpr uint32_t kChannels = 4;
  auto loaded = tools::load_picture(path, kChannels);
  if (!loaded) return fail(fmt::format("cannot read the background {}: {}", path, loaded.error().message));
  const auto picture = tools::resized(*loaded, static_cast<uint32_t>(info.width), static_cast<uint32_t>(info.height));
  std::vector<uint8_t> rgba(picture.values.size());
  std::ranges::transform(picture.values, rgba.begin(), [](float value) { return static_cast<uint8_t>(std::lround(value)); });
  return converted(rgba, picture.width, picture.height, info);
}

Result<std::shared_ptr<const OwnFrame>> OwnFrame::of_colour(guint32 argb, const GstVideoInfo& info) {
  std::vector<uint8_t> rgba;
  for (size_t i = 0; i < static_cast<size_t>(info.width) * static_cast<size_t>(info.height); ++i) {
    for (const int shift : {16, 8, 0, 24}) rgba.push_back(static_cast<uint8_t>(argb >> shift));
  }
  return converted(rgba, static_cast<guint>(info.width), static_cast<guint>(info.height), info);
}

Result<std::shared_ptr<const OwnFrame>> OwnFrame::converted(std::span<const uint8_t> rgba, guint width, guint height,
                                                            const GstVideoInfo& info) {
  std::shared_ptr<OwnFrame> own(new OwnFrame);
  GstVideoInfo from_info;
  gst_video_info_set_format(&from_info, GST_VIDEO_FORMAT_RGBA, width, height);
  GstVideoInfo to_info;
  gst_video_info_set_format(&to_info, GST_VIDEO_INFO_FORMAT(&info), width, height);
  to_info.colorimetry = info.colorimetry;
  to_info.chroma_site = info.chroma_site;
  GstBuffer* from_buffer = gst_buffer_new_memdup(rgba.data(), rgba.size());
  GstBuffer* to_buffer = gst_buffer_new_allocate(nullptr, to_info.size, nullptr);
  GstVideoFrame from;
  GstVideoConverter* converter = gst_video_converter_new(&from_info, &to_info, nullptr);
  const bool is_mapped = converter != nullptr && gst_video_frame_map(&own->frame_, &to_info, to_buffer, GST_MAP_READWRITE);
  if (is_mapped && gst_video_frame_map(&from, &from_info, from_buffer, GST_MAP_READ)) {
    gst_video_converter_frame(converter, &from, &own->frame_);
    gst_video_frame_unmap(&from);
  }
  if (converter != nullptr) gst_video_converter_free(converter);
  gst_buffer_unref(from_buffer);
  gst_buffer_unref(to_buffer);  // the mapped frame has its own reference
  if (!is_mapped) return fail("the background cannot be converted to the format of the frames");
  return own;
}

OwnFrame::~OwnFrame() {
  if (frame_.buffer != nullptr) gst_video_frame_unmap(&frame_);
}

void replace_background(GstVideoFrame& frame, const AlphaMask& mask, const GstVideoFrame& background) {
  Masks masks(mask);
  for (guint c = 0; c < colour_components(frame); ++c) {
    const Component to = component_of(frame, c);
    const Component behind = component_of(background, c);
    const AlphaMask& part = masks.of_size(to.width, to.height);
    for (size_t y = 0; y < to.height; ++y) {
      for (size_t x = 0; x < to.width; ++x) to.at(x, y) = mixed(to.at(x, y), behind.at(x, y), part.alpha[y * to.width + x]);
    }
  }
}

void blur_background(GstVideoFrame& frame, const AlphaMask& mask, guint radius) {
  Masks masks(mask);
  std::map<std::pair<guint, guint>, std::vector<float>> weights;  // how much background there is around each sample
  for (guint c = 0; c < colour_components(frame); ++c) {
    const Component to = component_of(frame, c);
    const AlphaMask& part = masks.of_size(to.width, to.height);
    const size_t samples = size_t{to.width} * to.height;
    const size_t scaled = std::max<size_t>(1, size_t{radius} * to.width / static_cast<size_t>(GST_VIDEO_FRAME_WIDTH(&frame)));
    auto& weight = weights[{to.width, to.height}];
    if (weight.empty()) {
      weight.resize(samples);
      std::ranges::transform(part.alpha, weight.begin(), [](uint8_t alpha) { return static_cast<float>(kOpaque - alpha); });
      blur(weight, to.width, to.height, scaled);
    }
    std::vector<float> values(samples);
    for (size_t y = 0, i = 0; y < to.height; ++y) {
      for (size_t x = 0; x < to.width; ++x, ++i) values[i] = static_cast<float>(to.at(x, y) * (kOpaque - part.alpha[i]));
    }
    blur(values, to.width, to.height, scaled);
    for (size_t y = 0, i = 0; y < to.height; ++y) {
      for (size_t x = 0; x < to.width; ++x, ++i) {
        if (part.alpha[i] == kOpaque || weight[i] < 1) continue;
        const int behind = static_cast<int>(std::clamp(values[i] / weight[i] + 0.5F, 0.0F, 255.0F));
        to.at(x, y) = mixed(to.at(x, y), behind, part.alpha[i]);
      }
    }
  }
}

}  // namespace nnvk::gstreamer
