#include "tools/image/drawn_picture.h"

#include <array>
#include <cmath>
#include <random>

namespace nnvk::tools {
namespace {

struct Shape {
  bool disc = false;  // false: a bar through the middle
  float x = 0;
  float y = 0;
  float size = 0;   // radius, or half the bar's width
  float angle = 0;  // of the bar
  std::array<float, 3> colour{};

  bool covers(float px, float py) const {
    if (disc) return std::hypot(px - x, py - y) < size;
    return std::abs((px - x) * std::cos(angle) + (py - y) * std::sin(angle)) < size;
  }
};

}  // namespace

Picture drawn_picture(uint32_t width, uint32_t height, uint32_t seed) {
  constexpr int kSamples = 4;
  std::minstd_rand random(seed * 7919 + 17);
  const auto uniform = [&](float low, float high) {
    return low + (high - low) * static_cast<float>(random() % 65536) / 65536.0F;
  };
  std::vector<Shape> shapes(14);
  for (auto& shape : shapes) {
    shape.disc = random() % 2 == 0;
    shape.x = uniform(0, static_cast<float>(width));
    shape.y = uniform(0, static_cast<float>(height));
    shape.size = shape.disc ? uniform(3, 24) : uniform(0.7F, 5);
    shape.angle = uniform(0, 3.14159F);
    for (float& c : shape.colour) c = uniform(0, 255);
  }
  Picture picture{.width = width, .height = height, .channels = 3, .values = {}};
  for (uint32_t y = 0; y < height; ++y) {
    for (uint32_t x = 0; x < width; ++x) {
      std::array<float, 3> sum{};
      for (int s = 0; s < kSamples * kSamples; ++s) {
        const float px = static_cast<float>(x) + (static_cast<float>(s % kSamples) + 0.5F) / kSamples;
        const float py = static_cast<float>(y) + (static_cast<float>(s / kSamples) + 0.5F) / kSamples;
        std::array<float, 3> colour{40 + 170 * px / static_cast<float>(width), 128, 60 + 150 * py / static_cast<float>(height)};
        for (const auto& shape : shapes)
          if (shape.covers(px, py)) colour = shape.colour;
        for (size_t c = 0; c < 3; ++c) sum[c] += colour[c];
      }
      for (const float c : sum) picture.values.push_back(std::floor(c / (kSamples * kSamples) + 0.5F));
    }
  }
  return picture;
}

}  // namespace nnvk::tools
