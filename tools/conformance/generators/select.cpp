// SELECT.
#include <cmath>

#include "tools/conformance/generators/rows.h"

namespace nnvk::tools::conformance {

namespace {

void add_edges(Rows& rows) {
  const std::vector<double> masks{0, 1, 2, 128, 255, 0, 64};  // any byte but 0 chooses the first
  for (const int32_t type : kFive) {
    rows.edge(ANEURALNETWORKS_SELECT, type, "any_truth", [=](Draft& c) {
      c.input(tensor(kBool8, {7}), each_stored([=](uint64_t i) { return masks[i]; }));
      for (int i = 0; i < 2; ++i) c.input(tensor(type, {7}));
      c.output(tensor(type, {}));
    });
  }
  for (const int32_t type : kBytes) {  // every byte of both operands, each with its own quantization
    const int32_t middle = type == kQuant8 ? 128 : 0;
    for (const float scale : {1.0f, 0.5f, 0.013f, 1e-38f, 1e30f}) {
      rows.edge(ANEURALNETWORKS_SELECT, type, "every_byte_" + std::to_string(static_cast<int>(std::log10(scale) * 100)),
                [=](Draft& c) {
                  c.input(tensor(kBool8, {512}), each_stored([](uint64_t i) { return i < 256 ? 0.0 : 7.0; }));
                  c.input(tensor(type, {512}).quantized(0.5f, middle), every_byte());
                  c.input(tensor(type, {512}).quantized(1.5f, middle - 9), every_byte());
                  c.output(tensor(type, {}).quantized(scale, middle - 20));
                });
    }
  }
  rows.refused_edge(ANEURALNETWORKS_SELECT, kFloat32, "refused_shapes", [](Draft& c) {
    c.input(tensor(kBool8, {3}));
    for (int i = 0; i < 2; ++i) c.input(tensor(kFloat32, {2, 3}));
    c.output(tensor(kFloat32, {}));
  });
}

}  // namespace

void add_select_rows(Rows& rows) {
  for (const int32_t type : kFive) {
    for (const auto& shape : edge_shapes(8)) {
      rows.add(ANEURALNETWORKS_SELECT, type, "shape", dims_label(shape), [=](Draft& c) {
        const Tensor plain = tensor(type, shape);
        c.input(tensor(kBool8, shape));
        c.input(plain);
        c.input(plain.scale == 0 ? plain : plain.quantized(plain.scale * 0.75f, plain.zero_point + 1));
        c.output(plain.scale == 0 ? plain : plain.quantized(plain.scale * 1.5f, plain.zero_point - 1));
      });
    }
  }
  add_edges(rows);
}

}  // namespace nnvk::tools::conformance
