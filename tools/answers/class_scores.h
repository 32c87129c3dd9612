// One-row outputs: classes with their scores, or values of which nothing more is known.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "tools/answers/answer.h"
#include "tools/answers/labels.h"

namespace nnvk::tools::answers {

// Returns whether an output has one value per class, as far as its shape tells: [classes] or [1, ..., 1, classes], more than one
// class, no integers.
bool is_one_row(const OperandInfo& output);
// Returns whether values are probabilities of classes that exclude each other: none negative, none above 1, and their sum is 1.
bool are_probabilities(std::span<const float> values);
// Returns whether all values lie in [0, 1].
bool are_fractions(std::span<const float> values);

// Returns the classes with the highest scores, best first; classes with equal scores keep their order. `labels` may be null.
std::vector<Prediction> best_classes(std::span<const float> scores, const Labels* labels, int offset, size_t count);

// Describes values in a line: their range and mean, and of one row the place of the largest; of integers the most common ones.
std::string summarise(std::span<const float> values, const OperandInfo& output);

}  // namespace nnvk::tools::answers
