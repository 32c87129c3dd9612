// Key points: the figures that models know, and the points that outputs hold. Pure.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "tools/answers/answer.h"
#include "tools/image/picture_shape.h"

namespace nnvk::tools::answers {

// 17 points, as data sets of people and MoveNet have them.
const Figure& person();

// Returns the figure of which a detector gives this many points with each box; null if none does.
const Figure* figure_of_detector(size_t points);
// Returns the figure of which a list of this many values gives all points, with three values each; null if there is none.
const Figure* figure_of_landmarks(size_t values);

// Reads points of y, x (fractions of the picture) and a score.
std::vector<KeyPoint> points_of_pose(std::span<const float> values);
// Reads points of x, y (pixels of the model's input) and z.
std::vector<KeyPoint> points_of_landmarks(std::span<const float> values, const PictureShape& input);

// Reads people of MoveNet: 17 points each, then the box (top, left, bottom, right) and a score. Leaves out those with a lower
// score.
std::vector<Detection> people(std::span<const float> values, float least_score);

}  // namespace nnvk::tools::answers
