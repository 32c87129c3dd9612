// Element-wise operations of one operand.
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

// The quantization that the operation prescribes for its output, or takes in this case.
Tensor output_of(int32_t operation, int32_t type) {
  const Tensor same = tensor(type, {});
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
}

}  // namespace nnvk::tools::conformance
