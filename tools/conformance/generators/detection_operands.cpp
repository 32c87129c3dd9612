// Operands of operations on boxes and regions.
#include "tools/conformance/generators/detection_operands.h"

#include <algorithm>
#include <cmath>

namespace nnvk::tools::conformance {

std::span<const DetectionTypes> detection_types() {
  static const std::vector<DetectionTypes> types{{"float32", kFloat32, kFloat32},
                                                 {"float16", kFloat16, kFloat16},
                                                 {"quant8", kQuant8, kQuant16Asymm},
                                                 {"quant8_signed", kQuant8Signed, kQuant16Asymm}};
  return types;
}

Tensor box_tensor(int32_t type, const Dims& dims) {
  const Tensor plain = tensor(type, dims);
  return plain.scale == 0 ? plain : plain.quantized(0.125f, 0);
}

Values boxes(uint32_t count, double size) {
  std::vector<double> values;
  for (uint32_t i = 0; i < count; ++i) {
    const double x = (i * 5 % 7) * size / 16;
    const double y = (i * 3 % 5) * size / 16;
    values.insert(values.end(), {x, y, x + size / 4 + (i % 3) * size / 16, y + size / 4 + (i % 4) * size / 16});
  }
  return listed(values);
}

Values any_boxes(uint32_t width, uint32_t height) {
  return each([=](uint64_t i) {
    const uint64_t box = i / 4;
    const bool vertical = i % 2 == 1;
    const double size = 4.0 * (vertical ? height : width);
    const double a = std::floor(scattered(4 * box + (vertical ? 1 : 0)) * (size + 1)) / 4;
    const double b = box % 8 == 7 ? a : std::floor(scattered(4 * box + (vertical ? 3 : 2)) * (size + 1)) / 4;
    return i % 4 < 2 ? std::min(a, b) : std::max(a, b);
  });
}

std::vector<double> batch_indexes(uint32_t rois, uint32_t batches) {
  std::vector<double> values;
  for (uint32_t i = 0; i < rois; ++i) {
    const uint32_t batch = i * batches / rois;
    values.push_back(batch);
  }
  return values;
}

}  // namespace nnvk::tools::conformance
