// ADD, SUB, MUL, DIV, MAXIMUM, MINIMUM, POW, PRELU.
#include <cmath>

#include "tools/conformance/generators/rows.h"

namespace nnvk::tools::conformance {
namespace {

struct Binary {
  int32_t operation;
  std::vector<int32_t> types;
  bool activation;
  size_t max_rank;
};

const Binary kOperations[] = {
    {ANEURALNETWORKS_ADD, {kFloat32, kFloat16, kInt32, kQuant8, kQuant8Signed}, true, 4},
    {ANEURALNETWORKS_SUB, {kFloat32, kFloat16, kInt32, kQuant8, kQuant8Signed}, true, 4},
    {ANEURALNETWORKS_MUL, {kFloat32, kFloat16, kInt32, kQuant8, kQuant8Signed}, true, 4},
    {ANEURALNETWORKS_DIV, {kFloat32, kFloat16, kInt32}, true, 4},
    {ANEURALNETWORKS_MAXIMUM, {kFloat32, kFloat16, kInt32, kQuant8, kQuant8Signed}, false, 8},
    {ANEURALNETWORKS_MINIMUM, {kFloat32, kFloat16, kInt32, kQuant8, kQuant8Signed}, false, 8},
    {ANEURALNETWORKS_POW, {kFloat32, kFloat16}, false, 8},
    {ANEURALNETWORKS_PRELU, {kFloat32, kFloat16, kQuant8, kQuant8Signed}, false, 8},
};

// Returns values of the right operand for which the operation is defined: divisors are not near zero.
Values right_values(int32_t operation, int32_t type) {
  if (operation == ANEURALNETWORKS_DIV) return type == kInt32 ? stored(1, 9) : reals(0.5, 4);
  if (operation == ANEURALNETWORKS_POW) return reals(-2, 2);
  return {};
}
Values left_values(int32_t operation) { return operation == ANEURALNETWORKS_POW ? reals(0.25, 4) : Values{}; }

void declare(Draft& c, const Binary& row, int32_t type, const Broadcast& shapes, int32_t activation) {
  const auto& [a, b] = shapes;
  c.input(tensor(type, a), left_values(row.operation));
  c.input(tensor(type, b).quantized(tensor(type, b).scale * 0.75f, tensor(type, b).zero_point),
          right_values(row.operation, type));
  if (row.activation) c.int32(activation);
  c.output(tensor(type, {}).quantized(tensor(type, {}).scale * 1.5f, tensor(type, {}).zero_point));
}

// Declares all 256 x 256 pairs of bytes.
void every_pair(Draft& c, int32_t operation, int32_t type, const std::vector<float>& scales, int32_t activation) {
  const int32_t middle = type == kQuant8 ? 128 : 0;
  c.input(tensor(type, {256, 1}).quantized(scales[0], middle - 1), every_byte());
  c.input(tensor(type, {1, 256}).quantized(scales[1], middle + 5), every_byte());
  if (activation >= 0) c.int32(activation);
  // MUL needs an output scale above the product of the inputs' scales.
  c.output(tensor(type, {}).quantized(operation == ANEURALNETWORKS_MUL ? scales[0] * scales[1] * 40 : scales[2], middle));
}

// Combines every value of `a` with every value of `b` by broadcasting.
void crossed(Draft& c, int32_t type, const std::vector<double>& a, const std::vector<double>& b, bool activation) {
  c.input(tensor(type, {static_cast<uint32_t>(a.size()), 1}), listed(a));
  c.input(tensor(type, {1, static_cast<uint32_t>(b.size())}), listed(b));
  if (activation) c.int32(0);
  c.output(tensor(type, {}));
}

// Declares y = activation(a operation b) as two operations, which a device may compute as one.
void then_activation(Draft& c, const Binary& row, int32_t activation, int32_t type) {
  const Tensor plain = tensor(type, {5, 9});
  const Tensor result = plain.scale == 0 ? plain : plain.quantized(plain.scale * 1.5f, plain.zero_point + 3);
  std::vector<uint32_t> inputs{c.input(plain, plain.scale != 0                       ? Values{}
                                              : row.operation == ANEURALNETWORKS_POW ? reals(0.25, 4)
                                                                                     : reals(-4, 4))};
  inputs.push_back(c.input(plain, reals(0.5, 4)));
  if (row.activation) inputs.push_back(c.int32(0));
  const uint32_t between = c.temporary(result);
  const uint32_t y = c.output(result);
  c.operation(row.operation, inputs, {between});
  c.operation(activation, {between}, {y});
}

void add_edges(Rows& rows) {
  const std::vector<double> integers{-2147483648.0, -2147483647.0, -8, -7, -3, -2, -1, 0, 1, 2, 3, 7, 8, 2147483647.0};
  const std::vector<double> odd{0, -0.0, 1, -1, 3, -7.5, 1e-30, 3e38, kInfinity, -kInfinity, kNan};
  const std::vector<double> bases{
      0,    -0.0,       1,          -1,        2,    -2,   0.5,   -0.5,  3,          -3,           2.5,
      -2.5, 8388607,    -8388607,   8388607.5, 1e-3, 1e30, -1e30, 1e-30, kInfinity,  -kInfinity,   kNan,
      -4,   16777215.0, 16777216.0, 126,       -126, 128,  127,   -150,  0.99999994, 1.0000001192, 3.4028234664e38};
  for (const auto& row : kOperations) {
    const bool comparing = row.operation == ANEURALNETWORKS_MAXIMUM || row.operation == ANEURALNETWORKS_MINIMUM;
    for (const int32_t type : row.types) {
      if (type == kInt32) {
        rows.edge(row.operation, type, "far_apart", [=](Draft& c) { crossed(c, type, integers, integers, row.activation); });
      } else if (tensor(type, {}).scale == 0) {
        const auto& values = row.operation == ANEURALNETWORKS_POW ? bases : odd;
        rows.edge(row.operation, type, "odd_values", [=](Draft& c) { crossed(c, type, values, values, row.activation); });
      } else {
        std::vector<std::vector<float>> scales{{1, 1, 10}, {0.0235f, 0.0471f, 0.0613f}, {0.5f, 0.003f, 0.9f}};
        if (comparing) scales = {{1, 1, 1}, {0.5f, 0.25f, 1}, {0.0235f, 0.5f, 0.01f}, {1e-30f, 1e30f, 1}};
        for (size_t i = 0; i < scales.size(); ++i) {
          const int32_t activation = row.activation ? (row.operation == ANEURALNETWORKS_SUB ? 3 : 0) : -1;
          rows.edge(row.operation, type, "every_pair_of_bytes_" + std::to_string(i),
                    [=](Draft& c) { every_pair(c, row.operation, type, scales[i], activation); });
        }
      }
      if (type == kInt32) continue;
      for (const int32_t activation : {ANEURALNETWORKS_RELU, ANEURALNETWORKS_RELU1, ANEURALNETWORKS_RELU6}) {
        rows.edge(row.operation, type, "then_activation_" + std::to_string(activation),
                  [=](Draft& c) { then_activation(c, row, activation, type); });
      }
    }
  }
  rows.edge(ANEURALNETWORKS_PRELU, kQuant8, "multiplier_above_1", [](Draft& c) {
    c.input(tensor(kQuant8, {31}).quantized(0.5f, 100));
    c.input(tensor(kQuant8, {1}).quantized(3, 0), stored(1, 1));
    c.output(tensor(kQuant8, {}).quantized(0.1f, 128));
  });
  // Multipliers of 2^31 and more shift all bits out, so negative inputs become the zero point (docs/nnapi/numerics.md).
  for (const int32_t type : {kQuant8, kQuant8Signed}) {
    const int32_t middle = type == kQuant8 ? 128 : 0;
    for (const float alpha : {1e9f, 3e9f, 1e30f}) {
      auto& row = rows.edge(ANEURALNETWORKS_PRELU, type, "huge_alpha_" + std::to_string(std::ilogb(alpha)), [=](Draft& c) {
        c.input(tensor(type, {256, 1}).quantized(1, middle), every_byte());
        c.input(tensor(type, {1, 8}).quantized(alpha, middle + 3));
        c.output(tensor(type, {}).quantized(1, middle + 1));
      });
      if (alpha >= 0x1p31F) row.same_for_all_seeds("nothing is left of what is shifted");
    }
  }
  // A denormal exponent is no integer, even on devices that flush it to zero.
  rows.edge(ANEURALNETWORKS_POW, kFloat32, "denormals", [](Draft& c) {
    const std::vector<double> values{1e-40, -1e-40, 0, -0.0, 1, -1, 2, -2, 0.5, kInfinity, -kInfinity, kNan};
    crossed(c, kFloat32, values, values, false);
  });
  rows.refused_edge(ANEURALNETWORKS_ADD, kQuant8, "refused_scale", [](Draft& c) {
    for (int i = 0; i < 2; ++i) c.input(tensor(kQuant8, {4}).quantized(1, 0));
    c.int32(0);
    c.output(tensor(kQuant8, {}).quantized(1e-6f, 0));
  });
  // More work groups than one dimension of a dispatch allows.
  rows.edge(ANEURALNETWORKS_ADD, kQuant8, "large", [](Draft& c) {
    for (int i = 0; i < 2; ++i) c.input(tensor(kQuant8, {1, 300, 300, 40}).quantized(0.1f, 7));
    c.int32(0);
    c.output(tensor(kQuant8, {}).quantized(0.2f, 3));
  });
  for (const auto& [a, b] :
       std::vector<std::pair<Dims, Dims>>{{{2, 1, 2, 1, 2, 1, 2, 3}, {1, 3, 1, 2, 1, 2, 1, 3}},
                                          {{2, 1, 2, 1, 2, 1, 2, 4}, {1, 3, 1, 2, 1, 2, 1, 4}},
                                          {{2, 1, 3, 1, 1, 2, 1, 1, 3, 2}, {1, 1, 3, 2, 2, 1, 1, 1, 1, 1}}}) {
    for (const int32_t type : {kFloat32, kFloat16, kInt32, kQuant8}) {
      rows.edge(ANEURALNETWORKS_MAXIMUM, type, "ranks_" + std::to_string(a.size()) + "_" + std::to_string(a.back()),
                [=, a = a, b = b](Draft& c) {
                  declare(c, kOperations[4], type, {a, b}, 0);
                });
    }
  }
  // Bases of every magnitude with exponents that keep the result finite, and bases near one with huge exponents.
  rows.edge(ANEURALNETWORKS_POW, kFloat32, "whole_range", [](Draft& c) {
    const auto base = [](uint64_t i) {
      const double spread = 2 * scattered(i) - 1;
      return static_cast<double>(static_cast<float>(std::exp2(i % 2 == 0 ? 120 * spread : 1e-3 * spread)));
    };
    c.input(tensor(kFloat32, {40000}), each(base));
    c.input(tensor(kFloat32, {40000}),
            each([base](uint64_t i) { return base(i) == 1 ? 1e30 : (255.5 * scattered(i + 40000) - 127) / std::log2(base(i)); }));
    c.tolerance(1e-30, 3e-7);
    c.output(tensor(kFloat32, {}));
  });
}

}  // namespace

void add_elementwise_binary_rows(Rows& rows) {
  for (const auto& row : kOperations) {
    for (const int32_t type : row.types) {
      for (const auto& shape : edge_shapes(row.max_rank)) {
        rows.add(row.operation, type, "same_shape", dims_label(shape), [=](Draft& c) {
          declare(c, row, type, {shape, shape}, 0);
        });
      }
      for (const auto& pair : broadcast_pairs(row.max_rank)) {
        rows.add(row.operation, type, "broadcast", label(pair), [=](Draft& c) { declare(c, row, type, pair, 0); });
      }
      if (!row.activation || type == kInt32) continue;
      for (int32_t activation = 1; activation <= 3; ++activation) {
        rows.add(row.operation, type, "activation", std::to_string(activation), [=](Draft& c) {
          declare(c, row, type, {{3, 17}, {3, 1}}, activation);
        });
      }
    }
    rows.refused(row.operation, kFloat32, "shapes_that_do_not_broadcast", [=](Draft& c) {
      declare(c, row, kFloat32, {{2, 3}, {2, 4}}, 0);
    });
  }
  for (const int32_t activation : {-1, 4, 2147483647}) {
    rows.refused(ANEURALNETWORKS_ADD, kFloat32, "activation_" + std::to_string(activation), [=](Draft& c) {
      declare(c, kOperations[0], kFloat32, {{4}, {4}}, activation);
    });
  }
  add_edges(rows);
}

}  // namespace nnvk::tools::conformance
