// CAST, DEQUANTIZE, QUANTIZE.
#include "tools/conformance/generators/rows.h"

namespace nnvk::tools::conformance {
namespace {

void add_conversion(Rows& rows, int32_t operation, int32_t from, int32_t to, size_t max_rank, const Values& values) {
  for (const auto& shape : edge_shapes(max_rank)) {
    const auto type = type_label(from) + "_to_" + type_label(to);
    rows.add(operation, type, "shape", dims_label(shape), [=](Draft& c) {
      c.input(tensor(from, shape), values);
      c.output(tensor(to, {}));
    });
  }
}

}  // namespace

void add_cast_quantize_rows(Rows& rows) {
  constexpr int32_t kNumbers[] = {kFloat16, kFloat32, kInt32, kQuant8};
  for (const int32_t from : kNumbers) {
    for (const int32_t to : kNumbers) {
      // Beyond the range of 8 bits on both sides, with fractions.
      const Values values = from == kInt32 ? stored(-300, 600) : from == kQuant8 ? Values{} : reals(-300, 600);
      add_conversion(rows, ANEURALNETWORKS_CAST, from, to, 8, values);
    }
  }
  for (const int32_t type : {kBool8, kQuant16Asymm, kQuant16, kQuant8Signed, kQuant8Symm}) {
    add_conversion(rows, ANEURALNETWORKS_CAST, type, type, 8, {});
  }
  for (const int32_t to : {kFloat32, kFloat16}) {
    for (const int32_t from : {kQuant8, kQuant8Signed, kQuant8Symm}) {
      add_conversion(rows, ANEURALNETWORKS_DEQUANTIZE, from, to, 4, {});
    }
    for (const uint32_t axis : {0, 1, 2, 3}) {
      const auto type = type_label(kQuant8Channel) + "_to_" + type_label(to);
      rows.add(ANEURALNETWORKS_DEQUANTIZE, type, "channel_axis", std::to_string(axis), [=](Draft& c) {
        c.input(tensor(kQuant8Channel, {2, 3, 4, 5}).per_channel(axis, 1.0f / 64));
        c.output(tensor(to, {}));
      });
    }
  }
  for (const int32_t from : {kFloat32, kFloat16}) {
    for (const int32_t to : {kQuant8, kQuant8Signed}) {
      add_conversion(rows, ANEURALNETWORKS_QUANTIZE, from, to, 8, reals(-12, 12));
    }
  }
}

}  // namespace nnvk::tools::conformance
