// Describes the contents of a model's output in words.
#pragma once

#include <filesystem>
#include <span>
#include <string>
#include <vector>

#include "tools/nnapi/model_builder.h"

namespace nnvk::tools {

// Reads labels, one per line; drops carriage returns.
Result<std::vector<std::string>> read_labels(const std::filesystem::path& path);

struct Prediction {
  size_t index = 0;
  float score = 0;
  std::string label;  // "" without labels
};

// Returns the classes with the highest scores, best first; classes with equal scores keep their order. If there is one label less
// than classes, the labels leave out the background class 0.
std::vector<Prediction> top_predictions(std::span<const float> scores, std::span<const std::string> labels, size_t count);

// Returns whether an output looks like one score per class: shape [classes] or [1, ..., 1, classes], more than one class, no
// integers. Without labels, the values must also be probabilities (none negative, sum 1).
bool is_classification(const OperandInfo& output, std::span<const float> values, std::span<const std::string> labels);

// Writes a line with the range and mean of the values; for integers, the most common values and their shares, with labels.
std::string summarise(std::span<const float> values, const OperandInfo& output, std::span<const std::string> labels);

}  // namespace nnvk::tools
