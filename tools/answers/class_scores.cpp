#include "tools/answers/class_scores.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <numeric>

namespace nnvk::tools::answers {

bool is_one_row(const OperandInfo& output) {
  return !output.dimensions.empty() && output.dimensions.back() > 1 && output.elements() == output.dimensions.back() &&
         output.type != ANEURALNETWORKS_TENSOR_INT32;
}

bool are_fractions(std::span<const float> values) {
  constexpr float kRounding = 0.01F;  // of 8-bit values
  return std::ranges::all_of(values, [](float v) { return v >= -kRounding && v <= 1 + kRounding; });
}

bool are_probabilities(std::span<const float> values) {
  constexpr double kSumTolerance = 0.2;  // 8-bit probabilities of many classes do not add up exactly
  const double sum = std::accumulate(values.begin(), values.end(), 0.0);
  return are_fractions(values) && std::abs(sum - 1) < kSumTolerance;
}

std::vector<Prediction> best_classes(std::span<const float> scores, const Labels* labels, int offset, size_t count) {
  std::vector<size_t> order(scores.size());
  std::iota(order.begin(), order.end(), size_t{0});
  std::ranges::stable_sort(order, [&](size_t a, size_t b) { return scores[a] > scores[b]; });
  std::vector<Prediction> best;
  for (const size_t number : std::span(order).first(std::min(count, order.size()))) {
    best.push_back({number, scores[number], labels ? label_of(*labels, number, offset) : ""});
  }
  return best;
}

std::string summarise(std::span<const float> values, const OperandInfo& output) {
  if (values.empty()) return "empty";
  const auto count = static_cast<double>(values.size());
  if (output.type == ANEURALNETWORKS_TENSOR_INT32 && values.size() > 1) {
    std::map<int64_t, size_t> counts;
    for (const float v : values) ++counts[static_cast<int64_t>(v)];
    std::vector<std::pair<int64_t, size_t>> common(counts.begin(), counts.end());
    std::ranges::stable_sort(common, [](const auto& a, const auto& b) { return a.second > b.second; });
    std::string text;
    for (const auto& [value, times] : std::span(common).first(std::min<size_t>(5, common.size()))) {
      text += fmt::format("{}{} {:.1f} %", text.empty() ? "" : ", ", value, 100.0 * static_cast<double>(times) / count);
    }
    return text;
  }
  if (values.size() == 1) return fmt::format("{:.5g}", values[0]);
  const auto [low, high] = std::ranges::minmax(values);
  const double mean = std::accumulate(values.begin(), values.end(), 0.0) / count;
  auto text = fmt::format("{} values from {:.5g} to {:.5g}, mean {:.5g}", values.size(), low, high, mean);
  if (!is_one_row(output)) return text;
  return fmt::format("{}; the largest is number {}", text, std::ranges::max_element(values) - values.begin());
}

}  // namespace nnvk::tools::answers
