// Top classes and summaries.
#include "tools/command/predictions.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <numeric>
#include <sstream>

#include "tools/nnapi/files.h"
#include "tools/nnapi/names.h"

namespace nnvk::tools {
namespace {

constexpr double kSumTolerance = 0.2;  // 8-bit probabilities of many classes do not add up exactly

std::string label_of(size_t index, size_t classes, std::span<const std::string> labels) {
  if (labels.empty()) return "";
  if (labels.size() + 1 == classes) return index == 0 ? "background" : labels[index - 1];
  return index < labels.size() ? labels[index] : "";
}

}  // namespace

Result<std::vector<std::string>> read_labels(const std::filesystem::path& path) {
  TOOLS_ASSIGN(const std::string text, read_text_file(path));
  std::istringstream stream(text);
  std::vector<std::string> labels;
  for (std::string line; std::getline(stream, line);) {
    if (line.ends_with('\r')) line.pop_back();
    labels.push_back(std::move(line));
  }
  while (!labels.empty() && labels.back().empty()) labels.pop_back();
  if (labels.empty()) return fail(fmt::format("the labels {} name no class; one name per line is expected", path.string()));
  return labels;
}

std::vector<Prediction> top_predictions(std::span<const float> scores, std::span<const std::string> labels, size_t count) {
  std::vector<size_t> order(scores.size());
  std::iota(order.begin(), order.end(), size_t{0});
  std::ranges::stable_sort(order, [&](size_t a, size_t b) { return scores[a] > scores[b]; });
  std::vector<Prediction> top;
  for (const size_t index : std::span(order).first(std::min(count, order.size()))) {
    top.push_back({index, scores[index], label_of(index, scores.size(), labels)});
  }
  return top;
}

bool is_classification(const OperandInfo& output, std::span<const float> values, std::span<const std::string> labels) {
  const bool one_row = !output.dimensions.empty() && output.dimensions.back() > 1 &&
                       output.elements() == output.dimensions.back() && output.type != ANEURALNETWORKS_TENSOR_INT32;
  if (!one_row || !labels.empty()) return one_row;
  double sum = 0;
  for (const float v : values) {
    if (v < 0) return false;
    sum += v;
  }
  return std::abs(sum - 1) < kSumTolerance;
}

std::string summarise(std::span<const float> values, const OperandInfo& output, std::span<const std::string> labels) {
  if (values.empty()) return "empty";
  const auto count = static_cast<double>(values.size());
  if (output.type == ANEURALNETWORKS_TENSOR_INT32) {
    std::map<int64_t, size_t> counts;
    for (const float v : values) ++counts[static_cast<int64_t>(v)];
    std::vector<std::pair<int64_t, size_t>> common(counts.begin(), counts.end());
    std::ranges::stable_sort(common, [](const auto& a, const auto& b) { return a.second > b.second; });
    std::string text;
    for (const auto& [value, times] : std::span(common).first(std::min<size_t>(5, common.size()))) {
      const auto label = value >= 0 && static_cast<size_t>(value) < labels.size() ? " " + labels[static_cast<size_t>(value)] : "";
      text += fmt::format("{}{}{} {:.1f} %", text.empty() ? "" : ", ", value, label, 100.0 * static_cast<double>(times) / count);
    }
    return text;
  }
  const auto [low, high] = std::ranges::minmax(values);
  const double mean = std::accumulate(values.begin(), values.end(), 0.0) / count;
  return fmt::format("from {:.5g} to {:.5g}, mean {:.5g}", low, high, mean);
}

}  // namespace nnvk::tools
