// FULLY_CONNECTED and BATCH_MATMUL.
#include "tools/conformance/generators/rows.h"
#include "tools/conformance/generators/windows.h"

namespace nnvk::tools::conformance {
namespace {

struct Layer {
  Dims input;
  uint32_t size;
  uint32_t units;
  int32_t activation = 0;
  bool given_weights = false;
};

void fully_connected(Draft& c, int32_t type, const Layer& layer) {
  const auto& [input_dims, size, units, activation, given_weights] = layer;
  const Tensor input = tensor(type, input_dims);
  Tensor weights = tensor(type, {units, size});
  if (type == kQuant8) weights = weights.quantized(1.0f / 64, 130);
  declare_factors(c, input, weights, units, given_weights);
  c.int32(activation);
  declare_sum(c, input, weights, size);
}

// The shapes of both factors; the shape of an adjoint factor is declared transposed.
struct Matrices {
  Dims x;
  Dims y;
  bool adj_x = false;
  bool adj_y = false;
  bool constant = false;  // y
};

void batch_matmul(Draft& c, int32_t type, const Matrices& m) {
  const auto& [x, y, adj_x, adj_y, constant] = m;
  const auto adjoint = [](Dims dims, bool swap) {
    if (swap) std::swap(dims[dims.size() - 1], dims[dims.size() - 2]);
    return dims;
  };
  // Integers are so large that sums wrap.
  const Values values = type == kInt32 ? stored(-2000000000, 2000000000) : factor_values(type, x.back());
  const Tensor left = tensor(type, adjoint(x, adj_x));
  const Tensor right = tensor(type, adjoint(y, adj_y));
  c.input(left, values);
  c.weight(right, values, !constant);
  c.boolean(adj_x);
  c.boolean(adj_y);
  declare_sum(c, left, right, x.back());
}

const Matrices kMatrices[] = {{{1, 1}, {1, 1}},
                              {{3, 5}, {5, 7}},
                              {{4, 8}, {8, 16}},
                              {{17, 3}, {3, 31}},
                              {{1, 65}, {65, 2}},
                              {{2, 3, 4}, {2, 4, 5}},
                              {{2, 3, 5, 7}, {2, 3, 7, 2}},
                              {{2, 1, 6, 4}, {2, 1, 4, 12}},
                              {{5, 1, 9}, {5, 9, 3}},
                              {{1, 3, 4}, {1, 4, 2}}};

void add_edges(Rows& rows) {
  for (const int32_t type : kFour) {
    const auto add = [&](const std::string& name, const Layer& layer) {
      rows.edge(ANEURALNETWORKS_FULLY_CONNECTED, type, name, [=](Draft& c) { fully_connected(c, type, layer); });
    };
    for (const uint32_t batches : {1, 2, 5, 9}) {
      for (const uint32_t units : {1, 10, 33}) {
        for (const uint32_t size : {7, 64, 1283}) {
          add(dims_label({batches, size, units}), {{batches, size}, size, units});
        }
      }
    }
    // Several tiles of work groups: complete and incomplete ones.
    for (const uint32_t units : {128, 130}) add("tiles_" + std::to_string(units), {{70, 36}, 36, units});
    add("flattened", {{2, 12}, 6, 5});
    add("given_weights", {{3, 20}, 20, 9, 2, true});
    if (type == kFloat32) {
      for (const uint32_t size : {20, 64}) {
        rows.edge(ANEURALNETWORKS_FULLY_CONNECTED, type, "relaxed_" + std::to_string(size), [=](Draft& c) {
          fully_connected(c, type, {{5, size}, size, 13});
          c.relax();
        });
      }
    }
    if (type != kFloat32 && type != kQuant8Signed) continue;
    // Sums that take several dispatches.
    add("long", {{1, 70001}, 70001, 3});
    add("longer", {{6, 270000}, 270000, 2});
  }
  for (const int32_t type : {kFloat32, kFloat16, kQuant8Signed, kInt32}) {
    const auto add = [&](const std::string& name, Matrices m) {
      for (int adjoint = 0; adjoint < 4; ++adjoint) {
        m.adj_x = (adjoint & 1) != 0;
        m.adj_y = (adjoint & 2) != 0;
        rows.edge(ANEURALNETWORKS_BATCH_MATMUL, type, name + "_" + std::to_string(adjoint),
                  [=](Draft& c) { batch_matmul(c, type, m); });
      }
    };
    for (const auto& m : std::vector<Matrices>{{{1, 9}, {9, 7}},
                                               {{5, 8}, {8, 16}},
                                               {{3, 4, 4}, {3, 4, 4}},
                                               {{3, 1, 6}, {3, 6, 3}},  // rows of several matrices share words
                                               {{2, 2, 7, 12}, {2, 2, 12, 20}},
                                               {{2, 1, 17, 5}, {2, 1, 5, 9}},
                                               {{2, 70, 36}, {2, 36, 130}},  // several tiles of work groups
                                               {{2, 64, 16}, {2, 16, 64}},
                                               {{2, 9, 300}, {2, 300, 13}}}) {  // 8-bit sums that a float does not hold exactly
      add(dims_label(m.x) + "_" + dims_label(m.y), m);
    }
    for (const uint32_t size : {6, 8})
      add("constant_" + std::to_string(size), {.x = {2, 5, 7}, .y = {2, 7, size}, .constant = true});
    if (type == kFloat16) continue;
    rows.edge(ANEURALNETWORKS_BATCH_MATMUL, type, "long", [=](Draft& c) {
      batch_matmul(c, type, {{2, 3, 70003}, {2, 70003, 2}});
    });
  }
  for (const int32_t type : kFloats) {
    rows.edge(ANEURALNETWORKS_BATCH_MATMUL, type, "odd_values", [=](Draft& c) {
      c.input(tensor(type, {3, 1}), listed({kInfinity, -1, kNan}));
      c.input(tensor(type, {1, 4}), listed({1, -2, kInfinity, 0.5}));
      for (int i = 0; i < 2; ++i) c.boolean(false);
      c.output(tensor(type, {}));
    });
  }
}

}  // namespace

void add_matmul_rows(Rows& rows) {
  for (const int32_t type : kFour) {
    const auto add = [&](const std::string& group, const std::string& name, const Layer& layer) {
      return &rows.add(ANEURALNETWORKS_FULLY_CONNECTED, type, group, name, [=](Draft& c) { fully_connected(c, type, layer); });
    };
    for (const uint32_t size : {1, 3, 4, 7, 8, 17, 64}) {
      for (const uint32_t units : {1, 4, 5, 16, 31}) {
        add("sizes", std::to_string(size) + "_to_" + std::to_string(units), {{3, size}, size, units});
      }
    }
    for (const auto& dims : std::vector<Dims>{{2, 3, 5}, {2, 2, 3, 4}, {4, 6}}) {
      add("input_shape", dims_label(dims), {dims, dims.size() == 3 ? 15U : 12U, 7});
    }
    for (int32_t activation = 1; activation <= 3; ++activation) {
      add("activation", std::to_string(activation), {{3, 5}, 5, 7, activation});
    }
    add("refused", "sizes_that_do_not_divide", {{3, 5}, 4, 7})->refused();
  }
  for (const int32_t type : {kFloat32, kFloat16, kQuant8Signed, kInt32}) {
    for (const auto& row : kMatrices) {
      for (const bool adj_x : {false, true}) {
        for (const bool adj_y : {false, true}) {
          const auto group = std::string(adj_x ? "adjoint" : "plain") + (adj_y ? "_adjoint" : "_plain");
          rows.add(ANEURALNETWORKS_BATCH_MATMUL, type, group, dims_label(row.x) + "_" + dims_label(row.y), [=](Draft& c) {
            batch_matmul(c, type, {row.x, row.y, adj_x, adj_y});
          });
        }
      }
    }
    // The specification requires equal batches; nothing is broadcast.
    rows.refused(ANEURALNETWORKS_BATCH_MATMUL, type, "batches_that_differ", [=](Draft& c) {
      batch_matmul(c, type, {{1, 3, 4}, {5, 4, 2}});
    });
    rows.refused(ANEURALNETWORKS_BATCH_MATMUL, type, "sizes_that_differ", [=](Draft& c) {
      batch_matmul(c, type, {{3, 4}, {5, 2}});
    });
  }
  add_edges(rows);
}

}  // namespace nnvk::tools::conformance
