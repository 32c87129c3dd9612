// Describes the contents of a model's output in words.
#pragma once

#include <filesystem>
#include <span>
#include <string>
#include <vector>

#include "tools/nnapi/model_builder.h"

namespace nnvk::tools {

// One label per line; carriage returns are dropped.
Result<std::vector<std::string>> read_labels(const std::filesystem::path& path);

struct Prediction {
  size_t index = 0;
  float score = 0;
  std::string label;  // "" without labels
};

// The classes of the highest scores, best first; equal scores keep the order of the classes. A list of labels that is one shorter
// than the classes lacks the background class 0.
std::vector<Prediction> top_predictions(std::span<const float> scores, std::span<const std::string> labels, size_t count);

// Whether an output looks like one score per class: [classes] or [1, ..., 1, classes], with more than one class and not integers.
// Without labels, the values must also be probabilities (none negative, sum 1).
bool is_classification(const OperandInfo& output, std::span<const float> values, std::span<const std::string> labels);

// One line: range and mean of the values; for integers the share of the commonest values, with labels.
std::string summarise(std::span<const float> values, const OperandInfo& output, std::span<const std::string> labels);

}  // namespace nnvk::tools
