// Operands that the operations on boxes and regions share.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "tools/conformance/generators/draft.h"

namespace nnvk::tools::conformance {

// The type of scores or images, and the type of their boxes.
struct DetectionTypes {
  std::string label;
  int32_t value;
  int32_t box;
};
// Returns all combinations that the operations accept.
std::span<const DetectionTypes> detection_types();

// Returns a tensor of coordinates; quantized ones are in eighths, as the operations prescribe.
Tensor box_tensor(int32_t type, const Dims& dims);

// Returns well-formed boxes x1, y1, x2, y2 inside size x size, many of which overlap. They are the same for all seeds.
Values boxes(uint32_t count, double size);

// Returns boxes inside width x height with coordinates in quarters, the same for all seeds. Every eighth box is a point.
Values any_boxes(uint32_t width, uint32_t height);

// Returns the image index of every region, in ascending order.
std::vector<double> batch_indexes(uint32_t rois, uint32_t batches);

}  // namespace nnvk::tools::conformance
