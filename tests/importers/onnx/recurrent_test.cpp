// Sequences in both directions: ONNX's node tests run forward only.
#include <cmath>

#include "tests/importers/onnx/graph_builder.h"

namespace nnvk::importers::onnx {
namespace {

constexpr size_t kSteps = 3;
constexpr size_t kUnits = 2;

std::vector<float> waves(size_t count, float phase) {
  std::vector<float> values;
  for (size_t i = 0; i < count; ++i) values.push_back(0.7f * std::sin(phase + 1.3f * static_cast<float>(i)));
  return values;
}

double sigmoid(double x) { return 1 / (1 + std::exp(-x)); }

// One unit's sum of input and recurrence for a gate's row, with one input per step.
double row_sum(const std::vector<float>& w, const std::vector<float>& r, size_t row, double x, const std::vector<double>& h) {
  double sum = w[row] * x;
  for (size_t k = 0; k < kUnits; ++k) sum += r[row * kUnits + k] * h[k];
  return sum;
}

std::vector<float> part(const std::vector<float>& values, size_t number, size_t count) {
  return {values.begin() + static_cast<std::ptrdiff_t>(number * count),
          values.begin() + static_cast<std::ptrdiff_t>((number + 1) * count)};
}

// Y [steps, 2 directions, 1, units].
std::vector<float> both_directions(const char* op_type, size_t gates, const std::vector<float>& x, const std::vector<float>& w,
                                   const std::vector<float>& r) {
  GraphBuilder builder;
  const int input = builder.input({kSteps, 1, 1});
  const auto rows = static_cast<int64_t>(gates * kUnits);
  const int y = builder.node(op_type, {input, builder.floats({2, rows, 1}, w), builder.floats({2, rows, kUnits}, r)},
                             {integer("hidden_size", kUnits), text("direction", "bidirectional")});
  return run(builder.take({y}), {x});
}

TEST(OnnxRecurrent, AnLstmRunsInBothDirections) {
  const auto x = waves(kSteps, 0.1f);
  const auto w = waves(2 * 4 * kUnits, 0.5f);
  const auto r = waves(2 * 4 * kUnits * kUnits, 0.9f);
  const auto y = both_directions("LSTM", 4, x, w, r);
  ASSERT_EQ(y.size(), kSteps * 2 * kUnits);
  for (size_t d = 0; d < 2; ++d) {
    const auto wd = part(w, d, 4 * kUnits);
    const auto rd = part(r, d, 4 * kUnits * kUnits);
    std::vector<double> h(kUnits), c(kUnits);
    for (size_t i = 0; i < kSteps; ++i) {
      const size_t t = d == 0 ? i : kSteps - 1 - i;
      const auto before = h;
      for (size_t u = 0; u < kUnits; ++u) {  // rows of the gates: input, output, forget, cell
        const auto gate = [&](size_t g) { return row_sum(wd, rd, g * kUnits + u, x[t], before); };
        c[u] = sigmoid(gate(2)) * c[u] + sigmoid(gate(0)) * std::tanh(gate(3));
        h[u] = sigmoid(gate(1)) * std::tanh(c[u]);
        EXPECT_NEAR(y[(t * 2 + d) * kUnits + u], h[u], 1e-5) << t << ' ' << d << ' ' << u;
      }
    }
  }
}

TEST(OnnxRecurrent, AGruRunsInBothDirections) {
  const auto x = waves(kSteps, 0.3f);
  const auto w = waves(2 * 3 * kUnits, 0.2f);
  const auto r = waves(2 * 3 * kUnits * kUnits, 0.6f);
  const auto y = both_directions("GRU", 3, x, w, r);
  ASSERT_EQ(y.size(), kSteps * 2 * kUnits);
  for (size_t d = 0; d < 2; ++d) {
    const auto wd = part(w, d, 3 * kUnits);
    const auto rd = part(r, d, 3 * kUnits * kUnits);
    std::vector<double> h(kUnits);
    for (size_t i = 0; i < kSteps; ++i) {
      const size_t t = d == 0 ? i : kSteps - 1 - i;
      std::vector<double> z(kUnits), kept(kUnits), next(kUnits);
      for (size_t u = 0; u < kUnits; ++u) {
        z[u] = sigmoid(row_sum(wd, rd, u, x[t], h));
        kept[u] = sigmoid(row_sum(wd, rd, kUnits + u, x[t], h)) * h[u];
      }
      for (size_t u = 0; u < kUnits; ++u) {
        next[u] = (1 - z[u]) * std::tanh(row_sum(wd, rd, 2 * kUnits + u, x[t], kept)) + z[u] * h[u];
        EXPECT_NEAR(y[(t * 2 + d) * kUnits + u], next[u], 1e-5) << t << ' ' << d << ' ' << u;
      }
      h = next;
    }
  }
}

}  // namespace
}  // namespace nnvk::importers::onnx
