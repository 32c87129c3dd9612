// SELECT.
#include "tools/conformance/generators/rows.h"

namespace nnvk::tools::conformance {

void add_select_rows(Rows& rows) {
  for (const int32_t type : {kFloat32, kFloat16, kInt32, kQuant8, kQuant8Signed}) {
    for (const auto& shape : edge_shapes(8)) {
      rows.add(ANEURALNETWORKS_SELECT, type, "shape", dims_label(shape), [=](Draft& c) {
        const Tensor plain = tensor(type, shape);
        c.input(tensor(kBool8, shape));
        c.input(plain);
        c.input(plain.scale == 0 ? plain : plain.quantized(plain.scale * 0.75f, plain.zero_point + 1));
        c.output(plain.scale == 0 ? plain : plain.quantized(plain.scale * 1.5f, plain.zero_point - 1));
      });
    }
  }
}

}  // namespace nnvk::tools::conformance
