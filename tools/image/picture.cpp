// Resizing and comparing of pictures.
#include "tools/image/picture.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "tools/image/picture_shape.h"
#include "tools/nnapi/names.h"

namespace nnvk::tools {
namespace {

// The source samples from which one destination sample is made; the weights add up to 1.
struct Tap {
  uint32_t first = 0;
  std::vector<float> weights;
};

// Returns Keys' filter with a = -0.5 at a distance from its middle.
double weight_at(double distance) {
  const double x = std::abs(distance);
  constexpr double kA = -0.5;
  if (x < 1) return ((kA + 2) * x - (kA + 3)) * x * x + 1;
  return x < 2 ? ((x - 5) * x + 8) * x * kA - 4 * kA : 0.0;
}

std::vector<Tap> taps_for(uint32_t from, uint32_t to) {
  const double ratio = static_cast<double>(from) / to;
  const double stretch = std::max(1.0, ratio);
  const double support = 2 * stretch;
  std::vector<Tap> taps(to);
  for (uint32_t i = 0; i < to; ++i) {
    const double centre = (i + 0.5) * ratio - 0.5;
    const auto first = std::max<int64_t>(0, static_cast<int64_t>(std::floor(centre - support)) + 1);
    const auto last = std::min<int64_t>(from - 1, static_cast<int64_t>(std::ceil(centre + support)) - 1);
    double sum = 0;
    for (int64_t s = first; s <= last; ++s) {
      const double weight = weight_at((s - centre) / stretch);
      taps[i].weights.push_back(static_cast<float>(weight));
      sum += weight;
    }
    taps[i].first = static_cast<uint32_t>(first);
    for (float& weight : taps[i].weights) weight = static_cast<float>(weight / sum);
  }
  return taps;
}

float rounded(float value) { return std::clamp(std::floor(value + 0.5f), 0.0f, 255.0f); }

}  // namespace

Picture resized(const Picture& picture, uint32_t width, uint32_t height) {
  if (picture.width == width && picture.height == height) return picture;
  const size_t channels = picture.channels;
  const auto columns = taps_for(picture.width, width);
  const auto rows = taps_for(picture.height, height);
  std::vector<float> narrow(size_t{picture.height} * width * channels);
  for (size_t y = 0; y < picture.height; ++y) {
    for (size_t x = 0; x < width; ++x) {
      for (size_t c = 0; c < channels; ++c) {
        float sum = 0;
        for (size_t k = 0; k < columns[x].weights.size(); ++k) {
          sum += columns[x].weights[k] * picture.values[(y * picture.width + columns[x].first + k) * channels + c];
        }
        narrow[(y * width + x) * channels + c] = rounded(sum);
      }
    }
  }
  Picture result{.width = width, .height = height, .channels = picture.channels, .values = {}};
  const size_t row_values = width * channels;
  result.values.resize(height * row_values);
  for (size_t y = 0; y < height; ++y) {
    for (size_t i = 0; i < row_values; ++i) {
      float sum = 0;
      for (size_t k = 0; k < rows[y].weights.size(); ++k)
        sum += rows[y].weights[k] * narrow[(rows[y].first + k) * row_values + i];
      result.values[y * row_values + i] = rounded(sum);
    }
  }
  return result;
}

double psnr(const Picture& a, const Picture& b) {
  constexpr double kMost = 200;
  double sum = 0;
  for (size_t i = 0; i < a.values.size(); ++i) {
    const double difference = rounded(a.values[i]) - rounded(b.values[i]);
    sum += difference * difference;
  }
  if (sum == 0) return kMost;
  return 10 * std::log10(255.0 * 255.0 * static_cast<double>(a.values.size()) / sum);
}

Normalisation pixel_normalisation(const OperandInfo& tensor) {
  if (!is_quant8(tensor.type)) return {};
  const double black = tensor.type == ANEURALNETWORKS_TENSOR_QUANT8_ASYMM ? 0 : -128;
  return {.mean = tensor.zero_point - black, .deviation = 1.0 / tensor.scale};
}

Result<std::vector<uint8_t>> picture_input(std::span<const uint8_t> file, const std::string& name, const OperandInfo& input,
                                           const std::optional<Normalisation>& normalisation,
                                           std::optional<bool> channels_first) {
  const auto shape = picture_shape(input.dimensions, channels_first);
  if (!shape || shape->batch != 1) {
    return fail(
        fmt::format("{} is a picture, but the model's input {} is none; give a file of raw values", name, to_string(input)));
  }
  const auto picture = decode_picture(file, std::max(3U, shape->channels));
  if (!picture) return fail(fmt::format("cannot read the picture {}: {}", name, picture.error().message));
  return picture_bytes(*picture, *shape, input, normalisation ? std::span(&*normalisation, 1) : std::span<const Normalisation>());
}

}  // namespace nnvk::tools
