// Makes answers of the values that a model computed. Pure.
#pragma once

#include <optional>
#include <span>
#include <vector>

#include "tools/answers/answer.h"
#include "tools/answers/labels.h"
#include "tools/answers/model_facts.h"

namespace nnvk::tools::answers {

struct DecodingOptions {
  std::optional<Labels> labels{};      // that the user gives; else those of the file
  std::optional<float> least_score{};  // of detections and points that are shown
  Normalisation normalisation{};       // that the input's pixels got
  size_t best = 5;                     // classes to list
};

// Returns the answers in the order of the outputs. `outputs`: the values of each output for one picture. Fails if the user's
// labels do not fit to any output.
Result<std::vector<Answer>> answers_of(const ModelFacts& facts, std::span<const std::vector<float>> outputs,
                                       const DecodingOptions& options);

}  // namespace nnvk::tools::answers
