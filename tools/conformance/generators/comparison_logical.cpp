// Comparisons and logic.
#include "tools/conformance/generators/rows.h"

namespace nnvk::tools::conformance {
namespace {

// Few different values, so that equal ones meet; both quantizations stand for the same multiples of 1/4.
void declare(Draft& c, int32_t type, const Dims& a, const Dims& b) {
  const Tensor plain = tensor(type, {});
  const bool quantized = plain.scale != 0;
  const Values values = type == kBool8 ? Values{} : type == kInt32 ? stored(-2, 2) : quantized ? reals(-1, 1) : stored(-2, 2);
  c.input(quantized ? tensor(type, a).quantized(0.25f, plain.zero_point) : tensor(type, a), values);
  c.input(quantized ? tensor(type, b).quantized(0.125f, plain.zero_point + 1) : tensor(type, b), values);
  c.output(tensor(kBool8, {}));
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
    if (operation == ANEURALNETWORKS_EQUAL || operation == ANEURALNETWORKS_NOT_EQUAL) {
      far_apart.same_for_all_seeds("of so many values no two are equal");
    }
  }
  add(ANEURALNETWORKS_LOGICAL_AND, kBool8);
  add(ANEURALNETWORKS_LOGICAL_OR, kBool8);
  for (const auto& shape : edge_shapes(8)) {
    rows.add(ANEURALNETWORKS_LOGICAL_NOT, kBool8, "shape", dims_label(shape), [=](Draft& c) {
      c.input(tensor(kBool8, shape));
      c.output(tensor(kBool8, {}));
    });
  }
}

}  // namespace nnvk::tools::conformance
