// SOFTMAX and LOG_SOFTMAX.
#include <cmath>

#include "tools/conformance/generators/rows.h"

namespace nnvk::tools::conformance {

namespace {

// Returns the quantization that the operation prescribes.
Tensor output_of(int32_t type) {
  const Tensor plain = tensor(type, {});
  return plain.scale == 0 ? plain : plain.quantized(1.0f / 256, type == kQuant8 ? 0 : -128);
}

struct Softmax {
  Tensor in;
  double beta = 1;
  int32_t axis = -1;
  Values values{};
};

void declare(Draft& c, const Softmax& s) {
  c.input(s.in, s.values);
  c.real(s.beta, s.in.type);
  c.int32(s.axis);
  c.output(output_of(s.in.type));
}

void add_edges(Rows& rows) {
  const auto add = [&](int32_t operation, const std::string& name, const Softmax& s) {
    return &rows.edge(operation, s.in.type, name, [=](Draft& c) {
      // The absolute tolerance is smaller here: with many small probabilities, even differences far below them matter.
      if (element_count(s.in.dims) > 30000) c.tolerance(operation == ANEURALNETWORKS_SOFTMAX ? 1e-8 : 1e-4, 1e-4);
      declare(c, s);
    });
  };
  const Values far = listed({1000, 999, -1000, 0, 3e38, -3e38, 1e-30, -86.9, -87.1, -103, 0.5, 1});
  const Values odd = listed({1,          2, kNan, 4, kNan,       2,          3,          4,          1,         2, 3, 4,
                             -kInfinity, 0, 1,    2, -kInfinity, -kInfinity, -kInfinity, -kInfinity, kInfinity, 0, 1, 2});
  for (const int32_t operation : {ANEURALNETWORKS_SOFTMAX, ANEURALNETWORKS_LOG_SOFTMAX}) {
    for (const double beta : {0.001, 1.0, 30.0})
      add(operation, "far_values_" + std::to_string(static_cast<int>(beta)), {tensor(kFloat32, {2, 6}), beta, 1, far});
    for (const int32_t axis : {0, 1})
      add(operation, "odd_values_" + std::to_string(axis), {tensor(kFloat32, {6, 4}), 1, axis, odd});
    // Slices that are too long for one invocation in one dispatch, and the longest that are not.
    for (const auto& [shape, axis] : std::vector<std::pair<Dims, int32_t>>{
             {{1, 70001}, 1}, {{40001, 3}, 0}, {{1, 65536}, 1}, {{16384, 1, 2}, 0}, {{270001, 2}, 0}}) {
      add(operation, dims_label(shape), {tensor(kFloat32, shape), 0.5, axis});
    }
    // Slices that a work group shares: one or several slices per group, with groups that reach beyond the last slice.
    for (const auto& [shape, axis] :
         std::vector<std::pair<Dims, int32_t>>{{{1, 1001}, 1}, {{7, 257}, 1}, {{131, 5}, 0}, {{97, 9}, 0}}) {
      for (const int32_t type : kFloats)
        add(operation, "shared_" + dims_label(shape), {tensor(type, shape), 1, axis, reals(-5, 5)});
    }
    for (const int32_t type : kFloats) add(operation, "1001", {tensor(type, {3, 1001}), 0.75, 1, reals(-10, 10)});
  }
  // The specification does not check the beta of LOG_SOFTMAX.
  const Values large = listed({1000, 999, -1000, 0, 50, -3e38, 1e-30, -86.9, -87.1, -103, 0.5, 1});
  for (const double beta : {0.0, -0.01, -2.0}) {
    add(ANEURALNETWORKS_LOG_SOFTMAX, "beta_" + std::to_string(static_cast<int>(beta * 100)),
        {tensor(kFloat32, {2, 6}), beta, 1, large});
  }
  for (const int32_t type : kBytes) {
    const int32_t lowest = type == kQuant8 ? 0 : -128;
    for (const auto& [shape, axis] :
         std::vector<std::pair<Dims, int32_t>>{{{1, 1001}, 1}, {{7, 257}, 1}, {{131, 5}, 0}, {{97, 9}, 0}}) {
      add(ANEURALNETWORKS_SOFTMAX, "shared_" + dims_label(shape), {tensor(type, shape).quantized(0.02f, 3), 1, axis});
    }
    for (const float scale : {1e-6f, 0.003f, 0.0625f, 0.5f, 2.0f, 1e4f}) {
      for (const int32_t axis : {1, 2}) {
        auto* row =
            add(ANEURALNETWORKS_SOFTMAX, "scale_" + std::to_string(std::llround(scale * 1e6f)) + "_axis_" + std::to_string(axis),
                {tensor(type, {5, 7, 9}).quantized(scale, 0), 1.5, axis});
        if (scale < 1e-5f) row->same_for_all_seeds("all shares are equal");
      }
    }
    for (const uint32_t size : {512, 513, 8191, 8192, 20000}) {  // from 8192 on sums exceed 32 bits
      add(ANEURALNETWORKS_SOFTMAX, "equal_" + std::to_string(size),
          {.in = tensor(type, {1, size}).quantized(0.1f, 0), .values = stored(77, 77)});
    }
    // Only few values per slice equal the largest, so that not all results are zero.
    const Values few = each_stored([lowest](uint64_t i) { return lowest + (i % 16000 < 3 || i == 32767 ? 50.0 : 10.0); });
    for (const auto& [shape, axis] :
         std::vector<std::pair<Dims, int32_t>>{{{40001, 3}, 0}, {{1, 65536}, 1}, {{16384, 1, 2}, 0}}) {
      add(ANEURALNETWORKS_SOFTMAX, dims_label(shape), {tensor(type, shape).quantized(1, lowest), 1, axis, few});
    }
  }
}

}  // namespace

void add_softmax_rows(Rows& rows) {
  const auto add = [&](int32_t operation, int32_t type, size_t max_rank) {
    for (const auto& shape : edge_shapes(max_rank)) {
      if (shape == Dims{1}) continue;  // always 1
      for (const int32_t axis : {-1, 0}) {
        if (element_count(shape) == shape[0] && axis == 0) continue;
        if (axis == 0 && shape[0] == 1) continue;
        rows.add(operation, type, axis == 0 ? "first_axis" : "last_axis", dims_label(shape), [=](Draft& c) {
          declare(c, {tensor(type, shape), 1, axis});
        });
      }
    }
    for (const double beta : {0.5, 3.0}) {
      rows.add(operation, type, "beta", beta < 1 ? "half" : "3", [=](Draft& c) { declare(c, {tensor(type, {3, 17}), beta}); });
    }
    for (const int32_t axis : {-3, -2, 1, 2}) {
      rows.add(operation, type, "axis", std::to_string(axis), [=](Draft& c) { declare(c, {tensor(type, {3, 5, 4}), 1, axis}); });
    }
    for (const int32_t axis : {3, -4}) {
      rows.refused(operation, type, "axis_" + std::to_string(axis), [=](Draft& c) {
        declare(c, {tensor(type, {3, 5, 4}), 1, axis});
      });
    }
  };
  for (const int32_t type : kFour) add(ANEURALNETWORKS_SOFTMAX, type, 4);
  for (const int32_t type : kFloats) add(ANEURALNETWORKS_LOG_SOFTMAX, type, 4);
  add_edges(rows);
}

}  // namespace nnvk::tools::conformance
