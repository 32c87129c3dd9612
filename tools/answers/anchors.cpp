#include "tools/answers/anchors.h"

#include <array>
#include <cmath>
#include <span>

namespace nnvk::tools::answers {
namespace {

constexpr size_t kSsdLayers = 6;
constexpr uint32_t kFirstSsdStride = 16;

// Returns the sides of SSD's layers: each one has half as many cells as the one before.
std::array<uint32_t, kSsdLayers> ssd_grid(uint32_t side) {
  std::array<uint32_t, kSsdLayers> grid{};
  uint32_t cells = (side + kFirstSsdStride - 1) / kFirstSsdStride;
  for (uint32_t& layer : grid) {
    layer = cells;
    cells = (cells + 1) / 2;
  }
  return grid;
}

struct Layer {
  uint32_t stride = 0;    // pixels between cells
  uint32_t per_cell = 0;  // anchors
};

// The layers of MediaPipe's detectors: near faces and palms, far faces, people and older palms, faces of the whole picture.
constexpr auto kLayouts =
    std::to_array<std::array<Layer, 3>>({{{{8, 2}, {16, 6}}}, {{{16, 2}, {32, 6}}}, {{{8, 2}, {16, 2}, {32, 6}}}, {{{4, 1}}}});

size_t count_of(std::span<const Layer> layers, const PictureShape& picture) {
  size_t count = 0;
  for (const auto& layer : layers) {
    if (layer.stride != 0) count += size_t{picture.width / layer.stride} * (picture.height / layer.stride) * layer.per_cell;
  }
  return count;
}

}  // namespace

std::vector<Anchor> ssd_anchors(const PictureShape& picture) {
  constexpr double kLeastScale = 0.2;
  constexpr double kMostScale = 0.95;
  const auto scale_of = [&](size_t layer) {
    return kLeastScale + (kMostScale - kLeastScale) * static_cast<double>(layer) / (kSsdLayers - 1);
  };
  std::vector<Anchor> anchors;
  const auto columns = ssd_grid(picture.width);
  const auto rows = ssd_grid(picture.height);
  for (size_t layer = 0; layer < kSsdLayers; ++layer) {
    struct Size {
      double scale = 0;
      double ratio = 1;
    };
    std::vector<Size> sizes;
    if (layer == 0) {
      sizes = {{kLeastScale / 2, 1}, {kLeastScale, 2}, {kLeastScale, 0.5}};
    } else {
      const double scale = scale_of(layer);
      const double next = layer + 1 < kSsdLayers ? scale_of(layer + 1) : 1.0;
      sizes = {{scale, 1}, {scale, 2}, {scale, 0.5}, {scale, 3}, {scale, 1.0 / 3}, {std::sqrt(scale * next), 1}};
    }
    for (uint32_t y = 0; y < rows[layer]; ++y) {
      for (uint32_t x = 0; x < columns[layer]; ++x) {
        for (const auto& size : sizes) {
          anchors.push_back({.x = static_cast<float>((x + 0.5) / columns[layer]),
                             .y = static_cast<float>((y + 0.5) / rows[layer]),
                             .width = static_cast<float>(size.scale * std::sqrt(size.ratio)),
                             .height = static_cast<float>(size.scale / std::sqrt(size.ratio))});
        }
      }
    }
  }
  return anchors;
}

bool has_ssd_anchors(const PictureShape& picture, size_t count) {
  constexpr size_t kOfFirstLayer = 3;
  constexpr size_t kOfOtherLayers = 6;
  const auto columns = ssd_grid(picture.width);
  const auto rows = ssd_grid(picture.height);
  size_t expected = 0;
  for (size_t i = 0; i < kSsdLayers; ++i) expected += size_t{columns[i]} * rows[i] * (i == 0 ? kOfFirstLayer : kOfOtherLayers);
  return count == expected;
}

std::vector<Anchor> mediapipe_anchors(const PictureShape& picture, size_t count) {
  std::vector<Anchor> anchors;
  for (const auto& layers : kLayouts) {
    if (count_of(layers, picture) != count) continue;
    for (const auto& [stride, per_cell] : layers) {
      if (stride == 0) break;
      const uint32_t columns = picture.width / stride;
      const uint32_t rows = picture.height / stride;
      for (uint32_t y = 0; y < rows; ++y) {
        for (uint32_t x = 0; x < columns; ++x) {
          const Anchor anchor{.x = (static_cast<float>(x) + 0.5F) / static_cast<float>(columns),
                              .y = (static_cast<float>(y) + 0.5F) / static_cast<float>(rows)};
          anchors.insert(anchors.end(), per_cell, anchor);
        }
      }
    }
    break;
  }
  return anchors;
}

bool has_mediapipe_anchors(const PictureShape& picture, size_t count) {
  for (const auto& layers : kLayouts) {
    if (count != 0 && count_of(layers, picture) == count) return true;
  }
  return false;
}

}  // namespace nnvk::tools::answers
