// MEAN and the reductions.
#include "tools/conformance/generators/rows.h"

namespace nnvk::tools::conformance {
namespace {

void declare(Draft& c, int32_t operation, int32_t type, const Dims& shape, const std::vector<int32_t>& axes, bool keep) {
  Values values;
  if (operation == ANEURALNETWORKS_REDUCE_PROD) values = reals(0.75, 1.25);
  c.input(tensor(type, shape), values);
  c.int32s(axes);
  if (operation == ANEURALNETWORKS_MEAN) {
    c.int32(keep ? 1 : 0);
  } else {
    c.boolean(keep);
  }
  c.output(tensor(type, {}));
}

struct Axes {
  std::string name;
  Dims shape;
  std::vector<int32_t> axes;
};

const Axes kAxes[] = {
    {"all_of_1", {17}, {0}},
    {"first_of_2", {5, 7}, {0}},
    {"last_of_2", {5, 65}, {1}},
    {"last_of_2_negative", {3, 31}, {-1}},
    {"both", {4, 8}, {0, 1}},
    {"twice_the_same", {4, 5, 3}, {1, -2}},
    {"middle_of_3", {3, 4, 5}, {1}},
    {"outer_of_3", {2, 4, 3}, {0, 2}},
    {"height_and_width", {2, 4, 5, 3}, {1, 2}},
    {"last_two_of_4", {2, 3, 4, 7}, {-1, -2}},
    {"first_of_4", {3, 2, 2, 5}, {0}},
    {"all_of_4", {2, 3, 2, 3}, {3, 2, 1, 0}},
};

}  // namespace

void add_reduce_rows(Rows& rows) {
  const auto add = [&](int32_t operation, int32_t type) {
    for (const auto& row : kAxes) {
      for (const bool keep : {false, true}) {
        // A truth value of many elements hardly ever depends on them: short ones only.
        if (type == kBool8 && element_count(row.shape) > 60) continue;
        auto& added = rows.add(operation, type, keep ? "keep" : "drop", row.name,
                               [=](Draft& c) { declare(c, operation, type, row.shape, row.axes, keep); });
        const bool everything = row.name.starts_with("all") || row.name == "both";
        if (type == kBool8 && everything) added.same_for_all_seeds("one truth value of many elements");
      }
    }
    for (const int32_t axis : {3, -4}) {
      rows.add(operation, type, "refused", "axis_" + std::to_string(axis),
               [=](Draft& c) {
                 declare(c, operation, type, {2, 3, 4}, {axis}, false);
               })
          .refused();
    }
  };
  for (const int32_t type : {kFloat32, kFloat16, kQuant8, kQuant8Signed}) {
    for (const int32_t operation : {ANEURALNETWORKS_MEAN, ANEURALNETWORKS_REDUCE_MAX, ANEURALNETWORKS_REDUCE_MIN}) {
      add(operation, type);
    }
  }
  for (const int32_t type : {kFloat32, kFloat16}) {
    for (const int32_t operation : {ANEURALNETWORKS_REDUCE_PROD, ANEURALNETWORKS_REDUCE_SUM}) add(operation, type);
  }
  add(ANEURALNETWORKS_REDUCE_ALL, kBool8);
  add(ANEURALNETWORKS_REDUCE_ANY, kBool8);
}

}  // namespace nnvk::tools::conformance
