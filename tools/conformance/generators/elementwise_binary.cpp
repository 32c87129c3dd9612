// ADD, SUB, MUL, DIV, MAXIMUM, MINIMUM, POW, PRELU.
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

// The right operand of operations that are not defined everywhere; a divisor or a base is kept away from zero.
Values right_values(int32_t operation, int32_t type) {
  if (operation == ANEURALNETWORKS_DIV) return type == kInt32 ? stored(1, 9) : reals(0.5, 4);
  if (operation == ANEURALNETWORKS_POW) return reals(-2, 2);
  return {};
}
Values left_values(int32_t operation) { return operation == ANEURALNETWORKS_POW ? reals(0.25, 4) : Values{}; }

void declare(Draft& c, const Binary& row, int32_t type, const Dims& a, const Dims& b, int32_t activation) {
  c.input(tensor(type, a), left_values(row.operation));
  c.input(tensor(type, b).quantized(tensor(type, b).scale * 0.75f, tensor(type, b).zero_point),
          right_values(row.operation, type));
  if (row.activation) c.int32(activation);
  c.output(tensor(type, {}).quantized(tensor(type, {}).scale * 1.5f, tensor(type, {}).zero_point));
}

}  // namespace

void add_elementwise_binary_rows(Rows& rows) {
  for (const auto& row : kOperations) {
    for (const int32_t type : row.types) {
      for (const auto& shape : edge_shapes(row.max_rank)) {
        rows.add(row.operation, type, "same_shape", dims_label(shape), [=](Draft& c) { declare(c, row, type, shape, shape, 0); });
      }
      for (const auto& pair : broadcast_pairs(row.max_rank)) {
        rows.add(row.operation, type, "broadcast", label(pair), [=](Draft& c) { declare(c, row, type, pair.a, pair.b, 0); });
      }
      if (!row.activation || type == kInt32) continue;
      for (int32_t activation = 1; activation <= 3; ++activation) {
        rows.add(row.operation, type, "activation", std::to_string(activation), [=](Draft& c) {
          declare(c, row, type, {3, 17}, {3, 1}, activation);
        });
      }
    }
    rows.add(row.operation, kFloat32, "refused", "shapes_that_do_not_broadcast",
             [=](Draft& c) {
               declare(c, row, kFloat32, {2, 3}, {2, 4}, 0);
             })
        .refused();
  }
  for (const int32_t activation : {-1, 4, 2147483647}) {
    rows.add(ANEURALNETWORKS_ADD, kFloat32, "refused", "activation_" + std::to_string(activation),
             [=](Draft& c) { declare(c, kOperations[0], kFloat32, {4}, {4}, activation); })
        .refused();
  }
}

}  // namespace nnvk::tools::conformance
