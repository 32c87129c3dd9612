// Element-wise operations of one operand.
#include <bit>

#include "tools/conformance/generators/rows.h"

namespace nnvk::tools::conformance {
namespace {

struct Unary {
  int32_t operation;
  std::vector<int32_t> types;
  Values values;  // for floats; the other types take all values
  size_t max_rank;
};

const Unary kOperations[] = {
    {ANEURALNETWORKS_ABS, {kFloat32, kFloat16, kInt32}, {}, 8},
    {ANEURALNETWORKS_ELU, {kFloat32, kFloat16}, reals(-8, 4), 8},
    {ANEURALNETWORKS_EXP, {kFloat32, kFloat16}, reals(-8, 2), 8},
    {ANEURALNETWORKS_FLOOR, {kFloat32, kFloat16}, reals(-100, 100), 4},
    {ANEURALNETWORKS_HARD_SWISH, {kFloat32, kFloat16, kQuant8, kQuant8Signed}, reals(-5, 5), 8},
    {ANEURALNETWORKS_LOG, {kFloat32, kFloat16}, reals(0.015625, 40), 8},
    {ANEURALNETWORKS_LOGISTIC, {kFloat32, kFloat16, kQuant8, kQuant8Signed}, reals(-9, 9), 4},
    {ANEURALNETWORKS_NEG, {kFloat32, kFloat16, kInt32}, {}, 8},
    {ANEURALNETWORKS_RELU, {kFloat32, kFloat16, kQuant8, kQuant8Signed}, {}, 4},
    {ANEURALNETWORKS_RELU1, {kFloat32, kFloat16, kQuant8, kQuant8Signed}, {}, 4},
    {ANEURALNETWORKS_RELU6, {kFloat32, kFloat16, kQuant8, kQuant8Signed}, reals(-2, 8), 4},
    {ANEURALNETWORKS_RSQRT, {kFloat32, kFloat16, kQuant8, kQuant8Signed}, reals(0.0625, 16), 8},
    {ANEURALNETWORKS_SIN, {kFloat32, kFloat16}, reals(-7, 7), 8},
    {ANEURALNETWORKS_SQRT, {kFloat32, kFloat16}, reals(0, 64), 8},
    {ANEURALNETWORKS_TANH, {kFloat32, kFloat16, kQuant8, kQuant8Signed}, reals(-4, 4), 4},
};

// Returns the output's quantization: the one that the operation prescribes, or one that this case chooses.
Tensor output_of(int32_t operation, int32_t type) {
  Tensor same = tensor(type, {});
  const bool is_unsigned = type == kQuant8;
  if (same.scale == 0) return same;
  switch (operation) {
    case ANEURALNETWORKS_LOGISTIC:
      return same.quantized(1.0f / 256, is_unsigned ? 0 : -128);
    case ANEURALNETWORKS_TANH:
      return same.quantized(1.0f / 128, is_unsigned ? 128 : 0);
    case ANEURALNETWORKS_HARD_SWISH:
      return same.quantized(0.03125f, is_unsigned ? 12 : -116);
    case ANEURALNETWORKS_RSQRT:
      return same.quantized(0.015625f, is_unsigned ? 3 : -125);
    default:
      return same;
  }
}

void declare(Draft& c, const Unary& row, int32_t type, const Dims& shape) {
  Tensor in = tensor(type, shape);
  Values values = row.values;
  if (in.scale != 0) {
    values = {};
    // A reciprocal root has no value at or below zero: the zero point is the smallest stored value.
    if (row.operation == ANEURALNETWORKS_RSQRT) {
      in = in.quantized(0.0625f, type == kQuant8 ? 0 : -128);
      values = type == kQuant8 ? stored(1, 255) : stored(-127, 127);
    }
  }
  c.input(in, values);
  if (row.operation == ANEURALNETWORKS_ELU) c.real(0.75, type);
  c.output(output_of(row.operation, type));
}

// Returns zeros, neighbours of one, ends of the ranges of exp and of float, multiples of pi/2, arguments at which SIN changes its
// method, and the negatives of all these.
std::vector<double> odd_values() {
  std::vector<double> values{kInfinity, -kInfinity, kNan};
  for (const double x :
       {0.0,   1.0,         0.99999994,  1.0000001192, 0.5,        0.249,     0.251,          0.25,   0.70710678, 2.0,
        2.5,   3.0,         6.0,         1e-3,         1e-4,       1e-6,      1e-7,           20.0,   50.0,       1.17549435e-38,
        1e-40, 1.4e-45,     87.0,        87.3,         87.34,      88.0,      88.72,          88.73,  89.0,       90.0,
        100.0, 104.0,       200.0,       1.57079637,   3.14159274, 6.2831855, 4.712389,       8191.5, 8192.0,     8192.5,
        1e5,   1.6777216e7, 3.3554432e7, 1e10,         1e22,       3e38,      3.4028234664e38}) {
    values.insert(values.end(), {x, -x});
  }
  return values;
}

void elements(Draft& c, const Unary& row, int32_t type, const Dims& shape, const Values& values) {
  c.input(tensor(type, shape), values);
  if (row.operation == ANEURALNETWORKS_ELU) c.real(0.75, type);
  c.output(tensor(type, {}));
}

// Adds cases with every byte, in many quantizations.
void add_byte_edges(Rows& rows, const Unary& row, int32_t type) {
  const int32_t lowest = type == kQuant8 ? 0 : -128;
  const bool root = row.operation == ANEURALNETWORKS_RSQRT;
  for (const float scale : {0.003f, 0.05f, 0.125f, 1.0f}) {
    for (const int32_t zero : {0, 12, 37, 128}) {
      const Tensor in = tensor(type, {261}).quantized(scale, lowest + zero);
      const Tensor fixed = output_of(row.operation, type);
      const bool imposed = fixed.scale != tensor(type, {}).scale && row.operation != ANEURALNETWORKS_HARD_SWISH;
      const Tensor out = root ? fixed.quantized(scale * 0.4f, lowest + 30) : imposed ? fixed : in.quantized(scale, lowest + zero);
      rows.edge(row.operation, type, "every_byte_" + std::to_string(static_cast<int>(scale * 1000)) + "_" + std::to_string(zero),
                [=](Draft& c) {
                  c.input(in, every_byte());
                  c.output(out);
                });
    }
  }
}

void add_edges(Rows& rows) {
  for (const auto& row : kOperations) {
    const bool activation = row.operation == ANEURALNETWORKS_RELU || row.operation == ANEURALNETWORKS_RELU1 ||
                            row.operation == ANEURALNETWORKS_RELU6 || row.operation == ANEURALNETWORKS_LOGISTIC ||
                            row.operation == ANEURALNETWORKS_TANH || row.operation == ANEURALNETWORKS_HARD_SWISH ||
                            row.operation == ANEURALNETWORKS_ELU;
    for (const int32_t type : row.types) {
      if (type == kInt32) {
        rows.edge(row.operation, type, "extremes", [=](Draft& c) {
          elements(c, row, type, {9}, listed({0, 1, -1, 7, -7, 2147483647.0, -2147483648.0, -2147483647.0, 123456789}));
        });
      } else if (tensor(type, {}).scale != 0) {
        add_byte_edges(rows, row, type);
      } else {
        rows.edge(row.operation, type, "odd_values", [=](Draft& c) { elements(c, row, type, {97}, listed(odd_values())); });
        rows.edge(row.operation, type, "4097", [=](Draft& c) { elements(c, row, type, {4097}, row.values); });
      }
    }
    for (const int32_t type : kFloats) {
      if (!activation) break;  // the others refuse empty tensors
      rows.edge(row.operation, type, "empty", [=](Draft& c) {
        c.empty(tensor(type, {0, 3}));
        if (row.operation == ANEURALNETWORKS_ELU) c.real(1, type);
        c.output(tensor(type, {}));
      });
    }
    if (activation) continue;
    // A tolerance far below the format's: a few units in the last place, over all floats and in the usual ranges.
    rows.edge(row.operation, kFloat32, "all_bit_patterns", [=](Draft& c) {
      c.tolerance(2e-7, 3e-7);
      elements(c, row, kFloat32, {40000},
               each([](uint64_t i) { return std::bit_cast<float>(static_cast<uint32_t>(scattered(i) * 4294967296.0)); }));
    });
    for (const double range : {0.5, 8.0, 100.0, 20000.0}) {
      rows.edge(row.operation, kFloat32, "up_to_" + std::to_string(static_cast<int>(range)), [=](Draft& c) {
        c.tolerance(2e-7, 3e-7);
        elements(c, row, kFloat32, {40000}, each([=](uint64_t i) { return range * (2 * scattered(i) - 1); }));
      });
    }
  }
  for (const int32_t type : kFloats) {
    for (const double alpha : {1.0, 0.5, 0.0, -2.0, 1000.0}) {
      rows.edge(ANEURALNETWORKS_ELU, type, "alpha_" + std::to_string(static_cast<int>(alpha * 10)), [=](Draft& c) {
        c.input(tensor(type, {5, 3, 97}), listed(odd_values()));
        c.real(alpha, type);
        c.output(tensor(type, {}));
      });
    }
  }
  rows.refused_edge(ANEURALNETWORKS_LOGISTIC, kQuant8, "refused_scale", [](Draft& c) {
    c.input(tensor(kQuant8, {4}).quantized(1e-9f, 0));
    c.output(tensor(kQuant8, {}).quantized(1.0f / 256, 0));
  });
}

}  // namespace

void add_unary_rows(Rows& rows) {
  for (const auto& row : kOperations) {
    for (const int32_t type : row.types) {
      for (const auto& shape : edge_shapes(row.max_rank)) {
        rows.add(row.operation, type, "shape", dims_label(shape), [=](Draft& c) { declare(c, row, type, shape); });
      }
      rows.add(row.operation, type, "shape", "every_value", [=](Draft& c) { declare(c, row, type, {1021}); });
    }
  }
  add_edges(rows);
}

}  // namespace nnvk::tools::conformance
