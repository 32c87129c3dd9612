// ARGMAX, ARGMIN.
#include "tools/conformance/generators/rows.h"

namespace nnvk::tools::conformance {

namespace {

void declare(Draft& c, int32_t type, const Dims& shape, int32_t axis, const Values& values) {
  c.input(tensor(type, shape), values);
  c.int32(axis);
  c.output(tensor(kInt32, {}));
}

void add_edges(Rows& rows, int32_t operation) {
  const auto add = [&](int32_t type, const std::string& name, const Dims& shape, int32_t axis, const Values& values) {
    rows.edge(operation, type, name, [=](Draft& c) { declare(c, type, shape, axis, values); });
  };
  for (const int32_t axis : {0, 1}) {  // NaN wins only at index 0
    add(kFloat32, "odd_values_" + std::to_string(axis), {6, 3}, axis,
        listed({kNan, 1, 5, 1, kNan, 5, 2, 2, kNan, kInfinity, -kInfinity, kNan, -kInfinity, kInfinity, kNan, 0, -0.0, 0}));
  }
  for (const int32_t axis :
       {0, 1}) {  // the same for axes that several invocations share: nearly all values are NaN, also at index 0
    add(kFloat32, "nearly_no_numbers_" + std::to_string(axis), {200, 200}, axis, each([](uint64_t i) {
          return i % 23 == 5 ? -static_cast<double>(i % 7) : i % 37 == 3 ? -kInfinity : kNan;
        }));
  }
  add(kFloat32, "denormals", {2, 3}, 1, listed({0, 1e-40, 2e-40, 0, -1e-40, -2e-40}));
  const double low = -2147483648.0;
  const double high = 2147483647.0;
  add(kInt32, "far_apart", {2, 4}, 1, listed({0, low, high, low, high, high, low, -1}));
  add(kInt32, "last_is_largest", {70001}, 0, each([](uint64_t i) { return static_cast<double>(i); }));
  for (const int32_t type : {kFloat32, kInt32, kQuant8}) {
    add(type, "long", {70001, 3}, 0, type == kQuant8 ? Values{} : stored(-1000000, 1000000));
    add(type, "middle", {2, 300, 4}, 1, {});
  }
}

}  // namespace

void add_argmax_rows(Rows& rows) {
  for (const int32_t type : kFive) {
    for (const int32_t operation : {ANEURALNETWORKS_ARGMAX, ANEURALNETWORKS_ARGMIN}) {
      const auto add = [&](const std::string& group, const std::string& name, const Dims& shape, int32_t axis,
                           const Values& values) {
        return &rows.add(operation, type, group, name, [=](Draft& c) { declare(c, type, shape, axis, values); });
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
      add("ties", "long_last_axis", {5, 1001}, -1, with_ties(type));  // a work group shares the axis
      add("ties", "long_first_axis", {301, 7}, 0, with_ties(type));
      add("refused", "axis_2", {3, 4}, 2, {})->refused();
      add("refused", "axis_-3", {3, 4}, -3, {})->refused();
    }
  }
  for (const int32_t operation : {ANEURALNETWORKS_ARGMAX, ANEURALNETWORKS_ARGMIN}) add_edges(rows, operation);
}

}  // namespace nnvk::tools::conformance
