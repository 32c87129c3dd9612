// EXPAND_DIMS, FILL, RANK, RESHAPE, REVERSE, SPLIT, SQUEEZE, TILE, TRANSPOSE.
#include <algorithm>
#include <numeric>

#include "tools/conformance/generators/rows.h"

namespace nnvk::tools::conformance {
namespace {

using ShapeAndList = std::pair<Dims, std::vector<int32_t>>;

// Declares the operands that most of these operations have: a tensor, and a list of sizes, axes or multiples.
void declare(Draft& c, int32_t type, const Dims& shape, const std::vector<int32_t>& numbers) {
  c.input(tensor(type, shape));
  c.int32s(numbers);
  c.output(tensor(type, {}));
}

// Declares the operands without the list, whose default follows from the shape.
void declare_without_list(Draft& c, int32_t type, const Dims& shape) {
  c.input(tensor(type, shape));
  c.omitted(tensor(kInt32, {2}));
  c.output(tensor(type, {}));
}

void split(Draft& c, int32_t type, const Dims& shape, int32_t axis, uint32_t parts) {
  c.input(tensor(type, shape));
  c.int32(axis);
  c.int32(static_cast<int32_t>(parts));
  for (uint32_t i = 0; i < parts; ++i) c.output(tensor(type, {}));
}

void fill(Draft& c, int32_t type, const std::vector<double>& sizes, double value) {
  c.input(tensor(kInt32, {static_cast<uint32_t>(sizes.size())}), listed(sizes));
  c.number(value, type);
  c.output(tensor(type, {}));
}

void add_shape_changes(Rows& rows) {
  for (const int32_t type : kFive) {
    for (const auto& [from, to] : std::vector<ShapeAndList>{
             {{7}, {7}}, {{2, 3}, {6}}, {{2, 3, 4}, {4, -1}}, {{1, 5, 1, 3}, {3, 5}}, {{17}, {1, 17, 1, 1}}}) {
      rows.add(ANEURALNETWORKS_RESHAPE, type, "shape", dims_label(from) + "_to_" + list_label(to),
               [=, from = from, to = to](Draft& c) { declare(c, type, from, to); });
    }
    rows.refused(ANEURALNETWORKS_RESHAPE, type, "another_size", [=](Draft& c) { declare(c, type, {6}, {4}); });
    for (const auto& shape : std::vector<Dims>{{5}, {3, 4}, {2, 3, 5}, {2, 1, 3, 1, 2, 3, 2}}) {
      for (int32_t axis = -static_cast<int32_t>(shape.size()) - 1; axis <= static_cast<int32_t>(shape.size()); ++axis) {
        rows.add(ANEURALNETWORKS_EXPAND_DIMS, type, "axis", dims_label(shape) + "_axis_" + std::to_string(axis), [=](Draft& c) {
          c.input(tensor(type, shape));
          c.int32(axis);
          c.output(tensor(type, {}));
        });
      }
    }
  }
  for (const int32_t type : kFour) {
    for (const auto& axes : std::vector<std::vector<int32_t>>{{0}, {2}, {0, 2}, {-2}, {0, 0}}) {
      rows.add(ANEURALNETWORKS_SQUEEZE, type, "axes", list_label(axes), [=](Draft& c) { declare(c, type, {1, 5, 1, 3}, axes); });
    }
    rows.add(ANEURALNETWORKS_SQUEEZE, type, "axes", "omitted", [=](Draft& c) { declare_without_list(c, type, {1, 5, 1, 3}); });
    rows.refused(ANEURALNETWORKS_SQUEEZE, type, "of_size_5", [=](Draft& c) { declare(c, type, {1, 5, 1, 3}, {1}); });
  }
}

void add_transpose(Rows& rows) {
  for (const int32_t type : kFour) {
    for (const auto& shape : std::vector<Dims>{{7}, {3, 17}, {16, 5}, {2, 3, 5}, {2, 3, 4, 5}}) {
      std::vector<int32_t> order(shape.size());
      std::iota(order.begin(), order.end(), 0);
      do {
        rows.add(ANEURALNETWORKS_TRANSPOSE, type, "permutation", dims_label(shape) + "_" + list_label(order),
                 [=](Draft& c) { declare(c, type, shape, order); });
      } while (std::next_permutation(order.begin(), order.end()));
    }
    rows.add(ANEURALNETWORKS_TRANSPOSE, type, "permutation", "omitted", [=](Draft& c) { declare_without_list(c, type, {3, 5}); });
    for (const auto& order : std::vector<std::vector<int32_t>>{{0, 0}, {0, 2}, {-1, 0}, {0}}) {
      rows.refused(ANEURALNETWORKS_TRANSPOSE, type, list_label(order), [=](Draft& c) { declare(c, type, {3, 5}, order); });
    }
  }
}

void add_repetition_and_parts(Rows& rows) {
  const std::vector<ShapeAndList> tiles{{{3}, {1}},
                                        {{1}, {7}},
                                        {{5}, {3}},
                                        {{3, 5}, {2, 1}},
                                        {{2, 7}, {1, 3}},
                                        {{2, 3, 4}, {2, 2, 2}},
                                        {{2, 1, 3, 5}, {1, 4, 1, 2}},
                                        {{1, 2, 1, 3, 2}, {2, 1, 3, 2, 1}}};
  for (const int32_t type : kFive) {
    for (const auto& [shape, multiples] : tiles) {
      rows.add(ANEURALNETWORKS_TILE, type, "multiples", dims_label(shape) + "_times_" + list_label(multiples),
               [=, shape = shape, multiples = multiples](Draft& c) { declare(c, type, shape, multiples); });
    }
    for (const auto& multiples : std::vector<std::vector<int32_t>>{{-1}, {1, 2}, {2147483647}}) {
      rows.refused(ANEURALNETWORKS_TILE, type, list_label(multiples), [=](Draft& c) { declare(c, type, {8}, multiples); });
    }
    for (const auto& shape : edge_shapes(8)) {
      const int32_t last = static_cast<int32_t>(shape.size()) - 1;
      rows.add(ANEURALNETWORKS_REVERSE, type, last == 0 ? "only_axis" : "first_axis", dims_label(shape),
               [=](Draft& c) { declare(c, type, shape, {0}); });
      if (last == 0) continue;
      rows.add(ANEURALNETWORKS_REVERSE, type, "last_axis", dims_label(shape), [=](Draft& c) { declare(c, type, shape, {last}); });
    }
    for (const int32_t axis : {-1, 2}) {
      rows.refused(ANEURALNETWORKS_REVERSE, type, "axis_" + std::to_string(axis), [=](Draft& c) {
        declare(c, type, {3, 4}, {axis});
      });
    }
    for (const auto& shape : std::vector<Dims>{{6}, {3, 5}, {6, 7}, {2, 3, 4}, {2, 2, 6, 3}}) {
      for (size_t axis = 0; axis < shape.size(); ++axis) {
        for (const bool negative : {false, true}) {
          const auto given = static_cast<int32_t>(axis) - (negative ? static_cast<int32_t>(shape.size()) : 0);
          const uint32_t parts = shape[axis] % 2 == 0 ? 2 : shape[axis];
          rows.add(ANEURALNETWORKS_SPLIT, type, "axis", dims_label(shape) + "_axis_" + std::to_string(given),
                   [=](Draft& c) { split(c, type, shape, given, parts); });
        }
      }
    }
    rows.refused(ANEURALNETWORKS_SPLIT, type, "parts_that_do_not_divide", [=](Draft& c) { split(c, type, {7}, 0, 2); });
  }
}

void add_fill_and_rank(Rows& rows) {
  for (const int32_t type : {kFloat32, kFloat16, kInt32}) {
    for (const auto& shape : edge_shapes(8)) {
      rows.add(ANEURALNETWORKS_FILL, type, "shape", dims_label(shape),
               [=](Draft& c) {
                 fill(c, type, {shape.begin(), shape.end()}, type == kInt32 ? -7 : 1.5);
               })
          .same_for_all_seeds("shape and value are parameters");
    }
    rows.refused(ANEURALNETWORKS_FILL, type, "negative_size", [=](Draft& c) { fill(c, type, {3, -2}, 1); });
  }
  for (const int32_t type :
       {kFloat32, kFloat16, kInt32, kQuant8, kQuant16, kBool8, kQuant8Channel, kQuant16Asymm, kQuant8Symm, kQuant8Signed}) {
    for (const auto& shape : std::vector<Dims>{{3}, {2, 3, 4}, {1, 1, 2, 1, 1, 3, 1, 2}}) {
      rows.add(ANEURALNETWORKS_RANK, type, "shape", dims_label(shape),
               [=](Draft& c) {
                 c.input(tensor(type, shape));
                 c.output({ANEURALNETWORKS_INT32, {}});
               })
          .same_for_all_seeds("only the shape matters")
          .without_variations();
    }
  }
}

// Adds cases with more axes than the kernels' push constants hold.
void add_edges(Rows& rows) {
  for (const int32_t type : kFive) {
    for (const auto& [shape, multiples] : std::vector<ShapeAndList>{{{2, 1, 3, 1, 2}, {2, 3, 1, 2, 2}},
                                                                    {{2, 2, 2, 2, 2, 2}, {2, 1, 3, 2, 2, 2}},
                                                                    {Dims(9, 2), std::vector<int32_t>(9, 2)},
                                                                    {{4}, {0}}}) {
      rows.edge(ANEURALNETWORKS_TILE, type, dims_label(shape) + "_times_" + list_label(multiples),
                [=, shape = shape, multiples = multiples](Draft& c) { declare(c, type, shape, multiples); });
    }
    for (int32_t axis = 0; axis < 8; ++axis) {
      rows.edge(ANEURALNETWORKS_REVERSE, type, "axis_" + std::to_string(axis), [=](Draft& c) {
        declare(c, type, {2, 1, 3, 2, 1, 5, 2, 4}, {axis});
      });
    }
    for (const auto& order : std::vector<std::vector<int32_t>>{{3, 2, 1, 0}, {0, 3, 1, 2}, {0, 2, 3, 1}, {1, 0, 2, 3}}) {
      if (type == kInt32) continue;
      rows.edge(ANEURALNETWORKS_TRANSPOSE, type, "quads_" + list_label(order), [=](Draft& c) {
        declare(c, type, {2, 3, 4, 8}, order);
      });
    }
    rows.edge(ANEURALNETWORKS_SPLIT, type, "thirds", [=](Draft& c) { split(c, type, {3, 12, 15}, 1, 3); });
  }
}

}  // namespace

void add_data_movement_rows(Rows& rows) {
  add_shape_changes(rows);
  add_transpose(rows);
  add_repetition_and_parts(rows);
  add_fill_and_rank(rows);
  add_edges(rows);
}

}  // namespace nnvk::tools::conformance
