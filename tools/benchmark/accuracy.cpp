#include "tools/benchmark/accuracy.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <set>

namespace nnvk::tools::benchmark {

bool is_among_top(std::span<const float> scores, size_t label, size_t k) {
  if (label >= scores.size()) return false;
  size_t before = 0;
  for (size_t i = 0; i < scores.size(); ++i) before += scores[i] > scores[label] || (scores[i] == scores[label] && i < label);
  return before < k;
}

std::vector<size_t> classes_of_scores(std::span<const float> scores, size_t classes) {
  std::vector<size_t> result;
  for (; classes > 0 && scores.size() >= classes; scores = scores.subspan(classes)) {
    const auto pixel = scores.first(classes);
    result.push_back(static_cast<size_t>(std::ranges::max_element(pixel) - pixel.begin()));
  }
  return result;
}

std::optional<double> mean_intersection_over_union(std::span<const size_t> expected, std::span<const size_t> result,
                                                   std::span<const size_t> counted) {
  struct Pixels {
    size_t both = 0;
    size_t either = 0;
  };
  const std::set<size_t> wanted(counted.begin(), counted.end());
  std::map<size_t, Pixels> pixels;
  for (const size_t number : counted) pixels[number];
  for (size_t i = 0; i < expected.size(); ++i) {
    if (!wanted.empty() && !wanted.contains(expected[i])) continue;
    pixels[expected[i]].both += expected[i] == result[i];
    ++pixels[expected[i]].either;
    if (result[i] != expected[i] && (wanted.empty() || wanted.contains(result[i]))) ++pixels[result[i]].either;
  }
  double sum = 0;
  size_t classes = 0;
  for (const auto& [number, of_class] : pixels) {
    if (of_class.either == 0) continue;
    sum += static_cast<double>(of_class.both) / static_cast<double>(of_class.either);
    ++classes;
  }
  if (classes == 0) return std::nullopt;
  return sum / static_cast<double>(classes);
}

void Difference::add(std::span<const float> a, std::span<const float> b) {
  double sum = mean * static_cast<double>(count);
  for (size_t i = 0; i < a.size(); ++i) {
    double difference = std::abs(static_cast<double>(a[i]) - static_cast<double>(b[i]));
    if (a[i] == b[i] || (std::isnan(a[i]) && std::isnan(b[i]))) difference = 0;
    if (std::isnan(difference)) difference = std::numeric_limits<double>::infinity();
    sum += difference;
    largest = std::max(largest, difference);
  }
  count += a.size();
  if (count > 0) mean = sum / static_cast<double>(count);
}

std::string known_answers(const Accuracy& accuracy) {
  std::vector<std::string> parts;
  if (accuracy.top_1) parts.push_back(fmt::format("top-1 {:.2f} %", 100 * *accuracy.top_1));
  if (accuracy.top_5) parts.push_back(fmt::format("top-5 {:.2f} %", 100 * *accuracy.top_5));
  if (accuracy.psnr) parts.push_back(fmt::format("PSNR {:.2f} dB", *accuracy.psnr));
  if (accuracy.mean_iou) parts.push_back(fmt::format("mean IoU {:.3f}", *accuracy.mean_iou));
  if (accuracy.mean_error) parts.push_back(fmt::format("mean error {:.3g}", *accuracy.mean_error));
  return fmt::format("{}", fmt::join(parts, ", "));
}

}  // namespace nnvk::tools::benchmark
