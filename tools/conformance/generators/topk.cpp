// TOPK_V2.
#include "tools/conformance/generators/rows.h"

namespace nnvk::tools::conformance {

namespace {

void declare(Draft& c, int32_t type, const Dims& shape, int32_t k, const Values& values) {
  c.input(tensor(type, shape), values);
  c.int32(k);
  c.output(tensor(type, {}));
  c.output(tensor(kInt32, {}));
}

void add_edges(Rows& rows) {
  const auto add = [&](int32_t type, const std::string& name, const Dims& shape, int32_t k, const Values& values) {
    rows.edge(ANEURALNETWORKS_TOPK_V2, type, name, [=](Draft& c) {
      c.tolerance(0, 0);
      declare(c, type, shape, k, values);
    });
  };
  for (const int32_t type : kFive) {
    for (const auto& [size, k] : {std::pair{256U, 256}, {257U, 1}, {300U, 300}, {1001U, 5}, {1300U, 200}}) {
      add(type, std::to_string(k) + "_of_" + std::to_string(size), {3, size}, k, {});
    }
  }
  // Lists that are merged more than once.
  for (const int32_t k : {1, 10, 3000}) add(kFloat32, std::to_string(k) + "_of_20000", {20000}, k, reals(-4, 4));
  add(kFloat32, "70000_of_140003", {1, 140003}, 70000, reals(-4, 4));
  // Zeros of both signs are ties.
  add(kFloat32, "zeros", {2, 350}, 350, each([](uint64_t i) {
        return i % 3 == 0 ? -0.0 : i % 3 == 1 ? 0.0 : static_cast<double>(i % 2);
      }));
  for (const int32_t type : kFloats) {
    add(type, "odd_values", {11}, 11, listed({kNan, 1, -kInfinity, kInfinity, -kNan, 1e-41, -1e-41, 2e-41, 0, -kNan, kNan}));
  }
}

}  // namespace

void add_topk_rows(Rows& rows) {
  for (const int32_t type : kFive) {
    const auto add_top = [&](const std::string& group, const std::string& name, const Dims& shape, int32_t k,
                             const Values& values) {
      return &rows.add(ANEURALNETWORKS_TOPK_V2, type, group, name, [=](Draft& c) { declare(c, type, shape, k, values); });
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
  add_edges(rows);
}

}  // namespace nnvk::tools::conformance
