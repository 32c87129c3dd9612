#include "tools/video/background.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <utility>

namespace nnvk::tools::video {
namespace {

constexpr int kOpaque = 255;

uint8_t mixed(int foreground, int background, int alpha) {
  return static_cast<uint8_t>((foreground * alpha + background * (kOpaque - alpha) + kOpaque / 2) / kOpaque);
}

// The masks in the sizes of a frame's components.
class Masks {
 public:
  explicit Masks(const AlphaMask& mask) : mask_(mask) {}

  const AlphaMask& of_size(uint32_t width, uint32_t height) {
    const auto [found, is_new] = sizes_.try_emplace({width, height});
    if (is_new) found->second = resized(mask_, width, height);
    return found->second;
  }

 private:
  const AlphaMask& mask_;
  std::map<std::pair<uint32_t, uint32_t>, AlphaMask> sizes_;
};

// Replaces each value by the sum of those up to `radius` away in its row.
void sum_rows(std::vector<float>& values, size_t width, size_t height, size_t radius) {
  for (size_t y = 0; y < height; ++y) {
    float* const to = values.data() + y * width;
    const std::vector<float> row(to, to + width);
    double sum = 0;  // floats would drift along the row
    for (size_t x = 0; x < std::min(radius, width); ++x) sum += row[x];
    for (size_t x = 0; x < width; ++x) {
      if (x + radius < width) sum += row[x + radius];
      to[x] = static_cast<float>(sum);
      if (x >= radius) sum -= row[x - radius];
    }
  }
}

// Does the same along columns: all columns at once, since they lie apart in memory.
void sum_columns(std::vector<float>& values, size_t width, size_t height, size_t radius) {
  const std::vector<float> from = values;
  std::vector<double> sums(width);
  const auto add = [&](size_t y, double factor) {
    for (size_t x = 0; x < width; ++x) sums[x] += factor * from[y * width + x];
  };
  for (size_t y = 0; y < std::min(radius, height); ++y) add(y, 1);
  for (size_t y = 0; y < height; ++y) {
    if (y + radius < height) add(y + radius, 1);
    for (size_t x = 0; x < width; ++x) values[y * width + x] = static_cast<float>(sums[x]);
    if (y >= radius) add(y - radius, -1);
  }
}

// Sums over boxes twice, which is nearly the sum of a smooth window. The scale does not matter: it is divided by a sum of
// weights.
void blur(std::vector<float>& values, size_t width, size_t height, size_t radius) {
  constexpr int kTimes = 2;
  for (int i = 0; i < kTimes; ++i) {
    sum_rows(values, width, height, radius);
    sum_columns(values, width, height, radius);
  }
}

}  // namespace

AlphaMask resized(const AlphaMask& mask, uint32_t width, uint32_t height) {
  AlphaMask result{.width = width, .height = height, .alpha = std::vector<uint8_t>(size_t{width} * height)};
  // Returns the two places between which a pixel's middle lies, and the part of the second one.
  const auto between = [](uint32_t at, uint32_t to, uint32_t from) {
    const float place = std::clamp((static_cast<float>(at) + 0.5F) * static_cast<float>(from) / static_cast<float>(to) - 0.5F,
                                   0.0F, static_cast<float>(from - 1));
    const auto first = static_cast<size_t>(place);
    return std::tuple(first, std::min<size_t>(first + 1, from - 1), place - static_cast<float>(first));
  };
  for (uint32_t y = 0; y < height; ++y) {
    const auto [top, bottom, lower] = between(y, height, mask.height);
    for (uint32_t x = 0; x < width; ++x) {
      const auto [left, right, later] = between(x, width, mask.width);
      const auto value = [&](size_t row, size_t column) { return static_cast<float>(mask.alpha[row * mask.width + column]); };
      const float above = value(top, left) + (value(top, right) - value(top, left)) * later;
      const float below = value(bottom, left) + (value(bottom, right) - value(bottom, left)) * later;
      result.alpha[size_t{y} * width + x] = static_cast<uint8_t>(std::lround(above + (below - above) * lower));
    }
  }
  return result;
}

Result<std::shared_ptr<const StillFrame>> StillFrame::of_picture(const std::string& path, const FrameView& like) {
  constexpr uint32_t kChannels = 3;
  const auto loaded = load_picture(path, kChannels);
  if (!loaded) return fail(fmt::format("cannot read the background {}: {}", path, loaded.error().message));
  return std::make_shared<const StillFrame>(like, tools::resized(*loaded, like.width, like.height));
}

std::shared_ptr<const StillFrame> StillFrame::of_colour(uint32_t rgb, const FrameView& like) {
  Picture picture{.width = like.width, .height = like.height, .channels = 3, .values = {}};
  for (size_t i = 0; i < size_t{like.width} * like.height; ++i) {
    for (const int shift : {16, 8, 0}) picture.values.push_back(static_cast<uint8_t>(rgb >> shift));
  }
  return std::make_shared<const StillFrame>(like, picture);
}

StillFrame::StillFrame(const FrameView& like, const Picture& picture) : view_(like) {
  size_t bytes = 0;
  for (const Component& component : like.components()) bytes += size_t{component.width} * component.height;
  bytes_.resize(bytes);
  size_t begin = 0;
  for (Component& component : std::span(view_.all).first(view_.count)) {
    component.data = bytes_.data() + begin;
    component.stride = component.width;
    component.step = 1;
    begin += size_t{component.width} * component.height;
  }
  lay_over(view_, picture);
}

void replace_background(const FrameView& frame, const AlphaMask& mask, const StillFrame& background) {
  Masks masks(mask);
  for (size_t c = 0; c < frame.count; ++c) {
    const Component& to = frame.all[c];
    const Component& behind = background.view().all[c];
    const AlphaMask& part = masks.of_size(to.width, to.height);
    for (size_t y = 0; y < to.height; ++y) {
      for (size_t x = 0; x < to.width; ++x) to.at(x, y) = mixed(to.at(x, y), behind.at(x, y), part.alpha[y * to.width + x]);
    }
  }
}

void blur_background(const FrameView& frame, const AlphaMask& mask, uint32_t radius) {
  Masks masks(mask);
  std::map<std::pair<uint32_t, uint32_t>, std::vector<float>> weights;  // how much background there is around each sample
  for (const Component& to : frame.components()) {
    const AlphaMask& part = masks.of_size(to.width, to.height);
    const size_t samples = size_t{to.width} * to.height;
    const size_t scaled = std::max<size_t>(1, size_t{radius} * to.width / frame.width);
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

}  // namespace nnvk::tools::video
