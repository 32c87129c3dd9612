// Comparisons and logic.
#include "tools/conformance/generators/rows.h"

namespace nnvk::tools::conformance {
namespace {

// Declares operands with few different values, so that many are equal; both quantizations represent the same multiples of 1/4.
void declare(Draft& c, int32_t type, const Dims& a, const Dims& b) {
  const Tensor plain = tensor(type, {});
  const bool quantized = plain.scale != 0;
  const Values values = type == kBool8 ? Values{} : type == kInt32 ? stored(-2, 2) : quantized ? reals(-1, 1) : stored(-2, 2);
  c.input(quantized ? tensor(type, a).quantized(0.25f, plain.zero_point) : tensor(type, a), values);
  c.input(quantized ? tensor(type, b).quantized(0.125f, plain.zero_point + 1) : tensor(type, b), values);
  c.output(tensor(kBool8, {}));
}

void crossed(Draft& c, const Tensor& a, const Tensor& b, const Values& values) {
  const auto count = a.dims[0];
  Tensor across = b;
  across.dims = {1, count};
  c.input(a, values);
  c.input(across, values);
  c.output(tensor(kBool8, {}));
}

void add_edges(Rows& rows, int32_t operation) {
  // Values that comparisons must distinguish even on devices whose arithmetic flushes denormals to zero.
  const std::vector<double> odd{0,     -0.0,   1,     -1, kNan,           kInfinity, -kInfinity,
                                1e-40, -1e-40, 2e-40, 2,  1.17549435e-38, 3.4e38,    -7.5};
  for (const int32_t type : kFloats) {
    rows.edge(operation, type, "odd_values", [=](Draft& c) { crossed(c, tensor(type, {14, 1}), tensor(type, {}), listed(odd)); });
  }
  rows.edge(operation, kInt32, "far_apart", [=](Draft& c) {
    const Values values =
        listed({-2147483648.0, -2147483647.0, -16777217, -16777216, -1, 0, 1, 16777216, 16777217, 2147483647.0});
    crossed(c, tensor(kInt32, {10, 1}), tensor(kInt32, {}), values);
  });
  // Scales whose products are equal only after rounding, and scales far from each other and from one.
  const std::vector<std::pair<float, float>> scales{{1, 1},           {0.3f, 0.1f},    {0.1f, 0.7f},
                                                    {1e-38f, 3e-38f}, {1e-42f, 1e38f}, {3e38f, 1e-3f}};
  for (const int32_t type : kBytes) {
    const int32_t middle = type == kQuant8 ? 128 : 0;
    for (size_t i = 0; i < scales.size(); ++i) {
      rows.edge(operation, type, "every_pair_of_bytes_" + std::to_string(i), [=](Draft& c) {
        crossed(c, tensor(type, {256, 1}).quantized(scales[i].first, middle - 3),
                tensor(type, {}).quantized(scales[i].second, middle + 100), every_byte());
      });
    }
  }
}

// Adds cases with every pair of bytes: any byte but 0 is true, but comparisons compare the bytes.
void add_truth_edges(Rows& rows, int32_t operation) {
  rows.edge(operation, kBool8, "every_pair_of_bytes", [=](Draft& c) {
    crossed(c, tensor(kBool8, {256, 1}), tensor(kBool8, {}), every_byte());
  });
}

// Adds cases with more dimensions than the kernels support directly, in one operand or both.
void add_rank_edges(Rows& rows) {
  const Dims nine{2, 1, 2, 1, 2, 1, 2, 1, 3};
  const Dims ten{2, 1, 3, 1, 2, 1, 2, 1, 2, 1};
  const Dims full{2, 2, 2, 2, 2, 2, 2, 2, 3};
  for (const int32_t type : {kFloat32, kFloat16, kInt32, kBool8, kQuant8}) {
    for (const auto& [a, b] : {std::pair{nine, ten}, std::pair{ten, nine}, std::pair{nine, full}}) {
      rows.edge(ANEURALNETWORKS_LESS_EQUAL, type, "ranks_" + dims_label(a) + "_" + dims_label(b),
                [=, a = a, b = b](Draft& c) { declare(c, type, a, b); });
    }
  }
}

}  // namespace

void add_comparison_logical_rows(Rows& rows) {
  const auto add = [&](int32_t operation, int32_t type) {
    for (const auto& shape : edge_shapes(8)) {
      rows.add(operation, type, "same_shape", dims_label(shape), [=](Draft& c) { declare(c, type, shape, shape); });
    }
    for (const auto& pair : broadcast_pairs(8)) {
      rows.add(operation, type, "broadcast", label(pair), [=](Draft& c) { declare(c, type, pair.a, pair.b); });
    }
  };
  for (const int32_t operation : {ANEURALNETWORKS_EQUAL, ANEURALNETWORKS_NOT_EQUAL, ANEURALNETWORKS_LESS,
                                  ANEURALNETWORKS_LESS_EQUAL, ANEURALNETWORKS_GREATER, ANEURALNETWORKS_GREATER_EQUAL}) {
    for (const int32_t type : {kFloat32, kFloat16, kInt32, kBool8, kQuant8, kQuant8Signed}) add(operation, type);
    auto& far_apart = rows.add(operation, kInt32, "values", "far_apart", [=](Draft& c) {
      c.input(tensor(kInt32, {64}), stored(-2147483648LL, 2147483647));
      c.input(tensor(kInt32, {64}), stored(-2147483648LL, 2147483647));
      c.output(tensor(kBool8, {}));
    });
    add_edges(rows, operation);
    add_truth_edges(rows, operation);
    if (operation == ANEURALNETWORKS_EQUAL || operation == ANEURALNETWORKS_NOT_EQUAL) {
      far_apart.same_for_all_seeds("of so many values no two are equal");
    }
  }
  for (const int32_t operation : {ANEURALNETWORKS_LOGICAL_AND, ANEURALNETWORKS_LOGICAL_OR}) {
    add(operation, kBool8);
    add_truth_edges(rows, operation);
  }
  rows.edge(ANEURALNETWORKS_LOGICAL_NOT, kBool8, "every_byte", [](Draft& c) {
    c.input(tensor(kBool8, {263}), every_byte());
    c.output(tensor(kBool8, {}));
  });
  add_rank_edges(rows);
  for (const auto& shape : edge_shapes(8)) {
    rows.add(ANEURALNETWORKS_LOGICAL_NOT, kBool8, "shape", dims_label(shape), [=](Draft& c) {
      c.input(tensor(kBool8, shape));
      c.output(tensor(kBool8, {}));
    });
  }
}

}  // namespace nnvk::tools::conformance
