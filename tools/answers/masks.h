// Masks: a class for every pixel, from the outputs of segmentations. Pure.
#pragma once

#include <span>

#include "tools/answers/answer.h"
#include "tools/answers/labels.h"
#include "tools/image/picture_shape.h"

namespace nnvk::tools::answers {

// These functions make a mask without shares. `shape` is that of the output.
Mask mask_of_classes(std::span<const float> classes, const PictureShape& shape);  // numbers of classes
Mask mask_of_scores(std::span<const float> scores, const PictureShape& shape);    // the class with the highest score wins
Mask mask_of_foreground(std::span<const float> fractions, const PictureShape& shape,
                        float least);  // 1 where a fraction is `least`

// Counts the pixels of each class. `labels` may be null.
std::vector<Mask::Share> shares_of(const Mask& mask, const Labels* labels, int offset);

}  // namespace nnvk::tools::answers
