// ARGMAX, ARGMIN.
#include "tools/conformance/generators/rows.h"

namespace nnvk::tools::conformance {

void add_argmax_rows(Rows& rows) {
  for (const int32_t type : {kFloat32, kFloat16, kInt32, kQuant8, kQuant8Signed}) {
    for (const int32_t operation : {ANEURALNETWORKS_ARGMAX, ANEURALNETWORKS_ARGMIN}) {
      const auto add = [&](const std::string& group, const std::string& name, const Dims& shape, int32_t axis,
                           const Values& values) {
        return &rows.add(operation, type, group, name, [=](Draft& c) {
          c.input(tensor(type, shape), values);
          c.int32(axis);
          c.output(tensor(kInt32, {}));
        });
      };
      for (const auto& shape : edge_shapes(8)) {
        for (const int32_t axis : {-1, 0}) {
          if (shape.size() == 1 && axis == 0) continue;
          const uint32_t size = axis == 0 ? shape[0] : shape.back();
          auto* row = add(axis == 0 ? "first_axis" : "last_axis", dims_label(shape), shape, axis, {});
          if (size == 1) row->same_for_all_seeds("one element is always the first");
        }
      }
      add("ties", "last_axis", {17, 31}, -1, with_ties(type));
      add("ties", "first_axis", {17, 31}, 0, with_ties(type));
      add("refused", "axis_2", {3, 4}, 2, {})->refused();
      add("refused", "axis_-3", {3, 4}, -3, {})->refused();
    }
  }
}

}  // namespace nnvk::tools::conformance
