// EXPAND_DIMS, FILL, RANK, RESHAPE, REVERSE, SPLIT, SQUEEZE, TILE, TRANSPOSE.
#include <algorithm>
#include <numeric>

#include "tools/conformance/generators/rows.h"

namespace nnvk::tools::conformance {
namespace {

void add_shape_changes(Rows& rows) {
  struct Reshape {
    Dims from;
    std::vector<int32_t> to;
  };
  for (const int32_t type : kFive) {
    for (const auto& row :
         std::vector<Reshape>{{{7}, {7}}, {{2, 3}, {6}}, {{2, 3, 4}, {4, -1}}, {{1, 5, 1, 3}, {3, 5}}, {{17}, {1, 17, 1, 1}}}) {
      rows.add(ANEURALNETWORKS_RESHAPE, type, "shape", dims_label(row.from) + "_to_" + list_label(row.to), [=](Draft& c) {
        c.input(tensor(type, row.from));
        c.int32s(row.to);
        c.output(tensor(type, {}));
      });
    }
    rows.add(ANEURALNETWORKS_RESHAPE, type, "refused", "another_size",
             [=](Draft& c) {
               c.input(tensor(type, {6}));
               c.int32s({4});
               c.output(tensor(type, {}));
             })
        .refused();
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
      rows.add(ANEURALNETWORKS_SQUEEZE, type, "axes", list_label(axes), [=](Draft& c) {
        c.input(tensor(type, {1, 5, 1, 3}));
        c.int32s(axes);
        c.output(tensor(type, {}));
      });
    }
    rows.add(ANEURALNETWORKS_SQUEEZE, type, "axes", "omitted", [=](Draft& c) {
      c.input(tensor(type, {1, 5, 1, 3}));
      c.omitted(tensor(kInt32, {2}));
      c.output(tensor(type, {}));
    });
    rows.add(ANEURALNETWORKS_SQUEEZE, type, "refused", "of_size_5",
             [=](Draft& c) {
               c.input(tensor(type, {1, 5, 1, 3}));
               c.int32s({1});
               c.output(tensor(type, {}));
             })
        .refused();
  }
}

void add_transpose(Rows& rows) {
  for (const int32_t type : kFour) {
    for (const auto& shape : std::vector<Dims>{{7}, {3, 17}, {16, 5}, {2, 3, 5}, {2, 3, 4, 5}}) {
      std::vector<int32_t> order(shape.size());
      std::iota(order.begin(), order.end(), 0);
      do {
        rows.add(ANEURALNETWORKS_TRANSPOSE, type, "permutation", dims_label(shape) + "_" + list_label(order), [=](Draft& c) {
          c.input(tensor(type, shape));
          c.int32s(order);
          c.output(tensor(type, {}));
        });
      } while (std::next_permutation(order.begin(), order.end()));
    }
    rows.add(ANEURALNETWORKS_TRANSPOSE, type, "permutation", "omitted", [=](Draft& c) {
      c.input(tensor(type, {3, 5}));
      c.omitted(tensor(kInt32, {2}));
      c.output(tensor(type, {}));
    });
    for (const auto& order : std::vector<std::vector<int32_t>>{{0, 0}, {0, 2}, {-1, 0}, {0}}) {
      rows.add(ANEURALNETWORKS_TRANSPOSE, type, "refused", list_label(order),
               [=](Draft& c) {
                 c.input(tensor(type, {3, 5}));
                 c.int32s(order);
                 c.output(tensor(type, {}));
               })
          .refused();
    }
  }
}

void add_repetition_and_parts(Rows& rows) {
  struct Tile {
    Dims shape;
    std::vector<int32_t> multiples;
  };
  const std::vector<Tile> tiles{{{3}, {1}},
                                {{1}, {7}},
                                {{5}, {3}},
                                {{3, 5}, {2, 1}},
                                {{2, 7}, {1, 3}},
                                {{2, 3, 4}, {2, 2, 2}},
                                {{2, 1, 3, 5}, {1, 4, 1, 2}},
                                {{1, 2, 1, 3, 2}, {2, 1, 3, 2, 1}}};
  for (const int32_t type : kFive) {
    for (const auto& row : tiles) {
      rows.add(ANEURALNETWORKS_TILE, type, "multiples", dims_label(row.shape) + "_times_" + list_label(row.multiples),
               [=](Draft& c) {
                 c.input(tensor(type, row.shape));
                 c.int32s(row.multiples);
                 c.output(tensor(type, {}));
               });
    }
    for (const auto& multiples : std::vector<std::vector<int32_t>>{{-1}, {1, 2}, {2147483647}}) {
      rows.add(ANEURALNETWORKS_TILE, type, "refused", list_label(multiples),
               [=](Draft& c) {
                 c.input(tensor(type, {8}));
                 c.int32s(multiples);
                 c.output(tensor(type, {}));
               })
          .refused();
    }
    for (const auto& shape : edge_shapes(8)) {
      for (const int32_t axis : {0, static_cast<int32_t>(shape.size()) - 1}) {
        if (shape.size() == 1 && axis != 0) continue;
        auto group = axis == 0 ? "first_axis" : "last_axis";
        if (shape.size() == 1) group = "only_axis";
        if (std::string(group) == "last_axis" && axis == 0) continue;
        rows.add(ANEURALNETWORKS_REVERSE, type, group, dims_label(shape), [=](Draft& c) {
          c.input(tensor(type, shape));
          c.int32s({axis});
          c.output(tensor(type, {}));
        });
        if (shape.size() == 1) break;
      }
    }
    for (const int32_t axis : {-1, 2}) {
      rows.add(ANEURALNETWORKS_REVERSE, type, "refused", "axis_" + std::to_string(axis),
               [=](Draft& c) {
                 c.input(tensor(type, {3, 4}));
                 c.int32s({axis});
                 c.output(tensor(type, {}));
               })
          .refused();
    }
    for (const auto& shape : std::vector<Dims>{{6}, {3, 5}, {6, 7}, {2, 3, 4}, {2, 2, 6, 3}}) {
      for (size_t axis = 0; axis < shape.size(); ++axis) {
        for (const bool negative : {false, true}) {
          const auto given = static_cast<int32_t>(axis) - (negative ? static_cast<int32_t>(shape.size()) : 0);
          const uint32_t parts = shape[axis] % 2 == 0 ? 2 : shape[axis];
          rows.add(ANEURALNETWORKS_SPLIT, type, "axis", dims_label(shape) + "_axis_" + std::to_string(given), [=](Draft& c) {
            c.input(tensor(type, shape));
            c.int32(given);
            c.int32(static_cast<int32_t>(parts));
            for (uint32_t i = 0; i < parts; ++i) c.output(tensor(type, {}));
          });
        }
      }
    }
    rows.add(ANEURALNETWORKS_SPLIT, type, "refused", "parts_that_do_not_divide",
             [=](Draft& c) {
               c.input(tensor(type, {7}));
               c.int32(0);
               c.int32(2);
               c.output(tensor(type, {}));
               c.output(tensor(type, {}));
             })
        .refused();
  }
}

void add_fill_and_rank(Rows& rows) {
  for (const int32_t type : {kFloat32, kFloat16, kInt32}) {
    for (const auto& shape : edge_shapes(8)) {
      rows.add(ANEURALNETWORKS_FILL, type, "shape", dims_label(shape),
               [=](Draft& c) {
                 const Values sizes = listed({shape.begin(), shape.end()});
                 c.input(tensor(kInt32, {static_cast<uint32_t>(shape.size())}), sizes);
                 if (type == kInt32) {
                   c.int32(-7);
                 } else {
                   c.real(1.5, type);
                 }
                 c.output(tensor(type, {}));
               })
          .same_for_all_seeds("shape and value are parameters");
    }
    rows.add(ANEURALNETWORKS_FILL, type, "refused", "negative_size",
             [=](Draft& c) {
               c.input(tensor(kInt32, {2}), listed({3, -2}));
               if (type == kInt32) {
                 c.int32(1);
               } else {
                 c.real(1, type);
               }
               c.output(tensor(type, {}));
             })
        .refused();
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

// More axes than the push constants of the kernels hold.
void add_edges(Rows& rows) {
  for (const int32_t type : kFive) {
    for (const auto& [shape, multiples] :
         std::vector<std::pair<Dims, std::vector<int32_t>>>{{{2, 1, 3, 1, 2}, {2, 3, 1, 2, 2}},
                                                            {{2, 2, 2, 2, 2, 2}, {2, 1, 3, 2, 2, 2}},
                                                            {Dims(9, 2), std::vector<int32_t>(9, 2)},
                                                            {{4}, {0}}}) {
      rows.edge(ANEURALNETWORKS_TILE, type, dims_label(shape) + "_times_" + list_label(multiples), [=](Draft& c) {
        c.input(tensor(type, shape));
        c.int32s(multiples);
        c.output(tensor(type, {}));
      });
    }
    for (int32_t axis = 0; axis < 8; ++axis) {
      rows.edge(ANEURALNETWORKS_REVERSE, type, "axis_" + std::to_string(axis), [=](Draft& c) {
        c.input(tensor(type, {2, 1, 3, 2, 1, 5, 2, 4}));
        c.int32s({axis});
        c.output(tensor(type, {}));
      });
    }
    for (const auto& order : std::vector<std::vector<int32_t>>{{3, 2, 1, 0}, {0, 3, 1, 2}, {0, 2, 3, 1}, {1, 0, 2, 3}}) {
      if (type == kInt32) continue;
      rows.edge(ANEURALNETWORKS_TRANSPOSE, type, "quads_" + list_label(order), [=](Draft& c) {
        c.input(tensor(type, {2, 3, 4, 8}));
        c.int32s(order);
        c.output(tensor(type, {}));
      });
    }
    rows.edge(ANEURALNETWORKS_SPLIT, type, "thirds", [=](Draft& c) {
      c.input(tensor(type, {3, 12, 15}));
      c.int32(1);
      c.int32(3);
      for (int i = 0; i < 3; ++i) c.output(tensor(type, {}));
    });
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
