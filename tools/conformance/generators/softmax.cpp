// SOFTMAX and LOG_SOFTMAX.
#include "tools/conformance/generators/rows.h"

namespace nnvk::tools::conformance {

void add_softmax_rows(Rows& rows) {
  const auto softmax = [](Draft& c, int32_t type, const Dims& shape, double beta, int32_t axis) {
    c.input(tensor(type, shape));
    c.real(beta, type);
    c.int32(axis);
    const bool quantized = tensor(type, {}).scale != 0;
    c.output(quantized ? tensor(type, {}).quantized(1.0f / 256, type == kQuant8 ? 0 : -128) : tensor(type, {}));
  };
  const auto add = [&](int32_t operation, int32_t type, size_t max_rank) {
    for (const auto& shape : edge_shapes(max_rank)) {
      if (shape == Dims{1}) continue;  // always 1
      for (const int32_t axis : {-1, 0}) {
        if (element_count(shape) == shape[0] && axis == 0) continue;
        if (axis == 0 && shape[0] == 1) continue;
        rows.add(operation, type, axis == 0 ? "first_axis" : "last_axis", dims_label(shape),
                 [=](Draft& c) { softmax(c, type, shape, 1, axis); });
      }
    }
    for (const double beta : {0.5, 3.0}) {
      rows.add(operation, type, "beta", beta < 1 ? "half" : "3", [=](Draft& c) { softmax(c, type, {3, 17}, beta, -1); });
    }
    for (const int32_t axis : {-3, -2, 1, 2}) {
      rows.add(operation, type, "axis", std::to_string(axis), [=](Draft& c) { softmax(c, type, {3, 5, 4}, 1, axis); });
    }
    for (const int32_t axis : {3, -4}) {
      rows.add(operation, type, "refused", "axis_" + std::to_string(axis),
               [=](Draft& c) {
                 softmax(c, type, {3, 5, 4}, 1, axis);
               })
          .refused();
    }
  };
  for (const int32_t type : {kFloat32, kFloat16, kQuant8, kQuant8Signed}) add(ANEURALNETWORKS_SOFTMAX, type, 4);
  for (const int32_t type : {kFloat32, kFloat16}) add(ANEURALNETWORKS_LOG_SOFTMAX, type, 4);
}

}  // namespace nnvk::tools::conformance
