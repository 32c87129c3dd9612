// Operands of operations on boxes and regions.
#include "tools/conformance/generators/detection_operands.h"

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

std::vector<double> batch_indexes(uint32_t rois, uint32_t batches) {
  std::vector<double> values;
  for (uint32_t i = 0; i < rois; ++i) values.push_back(i * batches / rois);
  return values;
}

}  // namespace nnvk::tools::conformance
