// TOPK_V2.
#include "tools/conformance/generators/rows.h"

namespace nnvk::tools::conformance {

void add_topk_rows(Rows& rows) {
  for (const int32_t type : {kFloat32, kFloat16, kInt32, kQuant8, kQuant8Signed}) {
    const auto add_top = [&](const std::string& group, const std::string& name, const Dims& shape, int32_t k,
                             const Values& values) {
      return &rows.add(ANEURALNETWORKS_TOPK_V2, type, group, name, [=](Draft& c) {
        c.input(tensor(type, shape), values);
        c.int32(k);
        c.output(tensor(type, {}));
        c.output(tensor(kInt32, {}));
      });
    };
    for (const auto& shape : edge_shapes(8)) {
      for (const uint32_t k : {1U, shape.back() / 2, shape.back()}) {
        if (k == 0 || (k == 1 && shape.back() < 4 && shape.back() != 1)) continue;
        const auto name = dims_label(shape) + "_top_" + std::to_string(k);
        if (rows.contains(ANEURALNETWORKS_TOPK_V2, type, "values", name)) continue;
        add_top("values", name, shape, static_cast<int32_t>(k), {});
      }
    }
    add_top("ties", "5_of_31", {7, 31}, 5, with_ties(type));
    add_top("ties", "all_of_65", {3, 65}, 65, with_ties(type));
    for (const int32_t k : {0, -1, 5}) {
      add_top("refused", "top_" + std::to_string(k), {3, 4}, k, {})->refused();
    }
  }
}

}  // namespace nnvk::tools::conformance
