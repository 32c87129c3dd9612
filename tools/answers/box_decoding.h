// Boxes from the outputs of detectors. Pure.
#pragma once

#include <span>
#include <vector>

#include "tools/answers/anchors.h"
#include "tools/answers/answer.h"

namespace nnvk::tools::answers {

// Returns the area that two boxes share, as a fraction of the area that they cover together.
float intersection_over_union(const Box& a, const Box& b);

// Keeps the best detections: sorts them by score and drops each one that overlaps a better one of the same class by more than
// `overlap`.
std::vector<Detection> without_overlaps(std::vector<Detection> detections, float overlap, size_t most);

// The results of a detection that the model has finished: boxes of four values, whose `order` gives the places of left, top,
// right and bottom, one class and score for each box, and how many boxes count.
struct FinishedDetection {
  std::span<const float> boxes;
  std::span<const float> classes;
  std::span<const float> scores;
  size_t count = 0;
  std::span<const uint32_t> order;  // empty: top, left, bottom, right
};
std::vector<Detection> finished_detections(const FinishedDetection& values, float least_score);

// Decodes SSD's encodings (y, x, height, width relative to the anchors; classes with a background in front). Classes of the
// result count from the one behind the background.
std::vector<Detection> decoded_boxes(std::span<const float> encodings, std::span<const float> scores,
                                     std::span<const Anchor> anchors, float least_score);

// Decodes MediaPipe's encodings: x, y, width and height of a box, then x and y of points, in pixels of the input relative to the
// anchors' centres. The scores are logits.
struct PointEncodings {
  std::span<const float> encodings;
  std::span<const float> scores;
  uint32_t width = 1;  // of the input
  uint32_t height = 1;
};
std::vector<Detection> decoded_points(const PointEncodings& values, std::span<const Anchor> anchors, float least_score);

// Returns 1 / (1 + e^-x).
float sigmoid(float x);

}  // namespace nnvk::tools::answers
