// ARGMAX, ARGMIN, RANDOM_MULTINOMIAL, TOPK_V2.
#include "tools/conformance/generators/rows.h"

namespace nnvk::tools::conformance {
namespace {

// Few different values: the first of equal ones counts.
Values with_ties(int32_t type) { return type == kQuant8 ? stored(100, 103) : stored(-2, 2); }

}  // namespace

void add_random_topk_arg_rows(Rows& rows) {
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
  for (const int32_t type : {kFloat32, kFloat16}) {
    for (const uint32_t classes : {2, 5, 17}) {
      for (const int32_t samples : {1, 7, 64}) {
        rows.add(ANEURALNETWORKS_RANDOM_MULTINOMIAL, type, "classes", std::to_string(samples) + "_of_" + std::to_string(classes),
                 [=](Draft& c) {
                   c.input(tensor(type, {3, classes}));
                   c.int32(samples);
                   c.input(tensor(kInt32, {2}), stored(1, 1000000));
                   c.output(tensor(kInt32, {}));
                 });
      }
    }
    rows.add(ANEURALNETWORKS_RANDOM_MULTINOMIAL, type, "refused", "negative_count",
             [=](Draft& c) {
               c.input(tensor(type, {3, 4}));
               c.int32(-1);
               c.input(tensor(kInt32, {2}), stored(1, 1000000));
               c.output(tensor(kInt32, {}));
             })
        .refused();
  }
}

}  // namespace nnvk::tools::conformance
