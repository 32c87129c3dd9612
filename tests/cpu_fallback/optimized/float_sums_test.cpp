// Sums of float products differ from the exact sum by at most 4 * sqrt(n) units in the last place of the sum of the products'
// magnitudes. Also products whose factors are all tensors of the execution.
#include "tests/cpu_fallback/optimized/every_instruction_set.h"
#include "tests/cpu_fallback/optimized/random_nodes.h"
#include "tests/cpu_fallback/optimized/random_windows.h"

namespace nnvk::cpu {
namespace {

using namespace test;

// A sum of products in double precision.
class ExactSum {
 public:
  void add(float a, float b) {
    const double product = double{a} * double{b};
    sum_ += product;
    magnitude_ += std::abs(product);
    ++count_;
  }
  // The distance to the exact sum, relative to the allowed distance; above 1 is too far.
  double distance(float value) const {
    const double unit = std::ldexp(1.0, std::ilogb(std::max(magnitude_, 1e-30)) - 23);
    return std::abs(double{value} - sum_) / (4 * std::sqrt(static_cast<double>(count_)) * unit);
  }

 private:
  double sum_ = 0;
  double magnitude_ = 0;
  size_t count_ = 0;
};

class FloatSums : public RandomNodes {
 protected:
  // Values of very different sizes.
  std::vector<float> values(size_t count) {
    std::vector<float> result(count);
    for (float& value : result) {
      value = std::ldexp(std::uniform_real_distribution<float>(-1, 1)(random_), static_cast<int>(pick(0, 12)) - 6);
    }
    return result;
  }
  // A tensor with these values: an input of the execution or a constant.
  TensorId tensor(PlanFixture& m, const Shape& shape, const std::vector<float>& contents, bool is_constant) {
    if (is_constant) return m.constant(shape, kTensorFloat32, contents);
    const TensorId id = m.input(shape);
    const auto bytes = std::as_bytes(std::span(contents));
    inputs_.emplace_back(bytes.begin(), bytes.end());
    return id;
  }
  std::vector<float> results(const PlanFixture& m) {
    const std::vector<std::byte> bytes = run(*device_, m, Guard::kBehind);
    EXPECT_NE(kernel_, "reference");
    inputs_.clear();
    std::vector<float> out(bytes.size() / sizeof(float));
    std::memcpy(out.data(), bytes.data(), bytes.size());
    return out;
  }
};

INSTANTIATE_TEST_SUITE_P(Types, FloatSums, ::testing::Values(kLayerTypes[0]), [](const auto& info) { return info.param.name; });

TEST_P(FloatSums, FullyConnectedLayersAreAsExactAsTheRuleWants) {
  with_every_instruction_set([&](const std::string& set) {
    SCOPED_TRACE(set);
    for (int round = 0; round < 30; ++round) {
      PlanFixture m;
      const uint32_t batches = pick(0, 2) == 0 ? 1 : pick(1, 60);
      const uint32_t in = pick(0, 1) == 0 ? channels() : pick(60, 2000);
      const uint32_t units = pick(0, 1) == 0 ? channels() : pick(70, 300);
      const bool is_constant = pick(0, 1) == 0;
      const auto x = values(size_t{batches} * in);
      const auto f = values(size_t{units} * in);
      const auto b = values(units);
      const TensorId xs = tensor(m, {batches, in}, x, false);
      const TensorId fs = tensor(m, {units, in}, f, is_constant);
      const TensorId bs = tensor(m, {units}, b, is_constant);
      m.node(OperationCode::kFullyConnected, {xs, fs, bs, m.scalar(0)}, {m.output({batches, units})});
      const auto got = results(m);
      for (size_t row = 0; row < batches; ++row) {
        for (size_t u = 0; u < units; ++u) {
          ExactSum exact;
          exact.add(b[u], 1);
          for (size_t k = 0; k < in; ++k) exact.add(x[row * in + k], f[u * in + k]);
          ASSERT_LE(exact.distance(got[row * units + u]), 1) << "round " << round << ", row " << row << ", unit " << u;
        }
      }
    }
  });
}

TEST_P(FloatSums, MatrixProductsAreAsExactAsTheRuleWants) {
  with_every_instruction_set([&](const std::string& set) {
    SCOPED_TRACE(set);
    for (int round = 0; round < 40; ++round) {
      PlanFixture m;
      const uint32_t batches = pick(1, 5);
      const uint32_t rows = pick(0, 1) == 0 ? channels() : 1;
      const uint32_t depth = pick(0, 1) == 0 ? channels() : pick(60, 700);
      const uint32_t columns = channels();
      const bool left_adjoint = pick(0, 1) == 0;
      const bool right_adjoint = pick(0, 1) == 0;
      const auto x = values(size_t{batches} * rows * depth);
      const auto y = values(size_t{batches} * depth * columns);
      const TensorId xs = tensor(m, left_adjoint ? Shape{batches, depth, rows} : Shape{batches, rows, depth}, x, false);
      const TensorId ys =
          tensor(m, right_adjoint ? Shape{batches, columns, depth} : Shape{batches, depth, columns}, y, pick(0, 3) == 0);
      m.node(OperationCode::kBatchMatmul, {xs, ys, m.flag(left_adjoint), m.flag(right_adjoint)},
             {m.output({batches, rows, columns})});
      const auto got = results(m);
      for (size_t i = 0; i < got.size(); ++i) {
        const size_t batch = i / (size_t{rows} * columns);
        const size_t row = i / columns % rows;
        const size_t column = i % columns;
        const float* const left = x.data() + batch * rows * depth;
        const float* const right = y.data() + batch * depth * columns;
        ExactSum exact;
        for (size_t k = 0; k < depth; ++k) {
          exact.add(left[left_adjoint ? k * rows + row : row * depth + k],
                    right[right_adjoint ? column * depth + k : k * columns + column]);
        }
        ASSERT_LE(exact.distance(got[i]), 1) << "round " << round << ", element " << i;
      }
    }
  });
}

// Calls add(image value, tap) for all channels and taps of one output on the image; the filter has `depth` channels per tap.
template <class Add>
void for_each_product(const Window& w, size_t pixel, const Add& add) {
  const auto y = static_cast<int32_t>(pixel / w.out_width % w.out_height);
  const auto x = static_cast<int32_t>(pixel % w.out_width);
  const size_t batch = pixel / w.out_width / w.out_height;
  for (uint32_t i = 0; i < w.filter_height; ++i) {
    for (uint32_t j = 0; j < w.filter_width; ++j) {
      const int32_t row = y * w.stride_height - w.top + static_cast<int32_t>(i) * w.dilation_height;
      const int32_t column = x * w.stride_width - w.left + static_cast<int32_t>(j) * w.dilation_width;
      if (row < 0 || column < 0 || row >= static_cast<int32_t>(w.height) || column >= static_cast<int32_t>(w.width)) continue;
      add((batch * w.height + static_cast<size_t>(row)) * w.width + static_cast<size_t>(column), size_t{i} * w.filter_width + j);
    }
  }
}

TEST_P(FloatSums, ConvolutionsAreAsExactAsTheRuleWants) {
  with_every_instruction_set([&](const std::string& set) {
    SCOPED_TRACE(set);
    for (int round = 0; round < 30; ++round) {
      PlanFixture m;
      const Window w = random_window([&](uint32_t lo, uint32_t hi) { return pick(lo, hi); });
      const uint32_t in = channels();
      const uint32_t out = channels();
      const bool is_constant = pick(0, 1) == 0;
      const size_t taps = size_t{w.filter_height} * w.filter_width;
      const auto x = values(size_t{w.batches} * w.height * w.width * in);
      const auto f = values(out * taps * in);
      const auto b = values(out);
      const TensorId xs = tensor(m, {w.batches, w.height, w.width, in}, x, false);
      const TensorId fs = tensor(m, {out, w.filter_height, w.filter_width, in}, f, is_constant);
      const TensorId bs = tensor(m, {out}, b, is_constant);
      m.node(OperationCode::kConv2d,
             {xs, fs, bs, m.scalar(w.left), m.scalar(w.right), m.scalar(w.top), m.scalar(w.bottom), m.scalar(w.stride_width),
              m.scalar(w.stride_height), m.scalar(0), m.flag(false), m.scalar(w.dilation_width), m.scalar(w.dilation_height)},
             {m.output({w.batches, w.out_height, w.out_width, out})});
      const auto got = results(m);
      for (size_t i = 0; i < got.size(); ++i) {
        const size_t c = i % out;
        ExactSum exact;
        exact.add(b[c], 1);
        for_each_product(w, i / out, [&](size_t pixel, size_t tap) {
          for (size_t k = 0; k < in; ++k) exact.add(x[pixel * in + k], f[(c * taps + tap) * in + k]);
        });
        ASSERT_LE(exact.distance(got[i]), 1) << "round " << round << ", element " << i;
      }
    }
  });
}

TEST_P(FloatSums, DepthwiseConvolutionsAreAsExactAsTheRuleWants) {
  with_every_instruction_set([&](const std::string& set) {
    SCOPED_TRACE(set);
    for (int round = 0; round < 50; ++round) {
      PlanFixture m;
      const Window w = random_window([&](uint32_t lo, uint32_t hi) { return pick(lo, hi); });
      const uint32_t in = channels();
      const uint32_t multiplier = pick(0, 3) == 0 ? 2 : 1;
      const uint32_t out = in * multiplier;
      const bool is_constant = pick(0, 1) == 0;
      const auto x = values(size_t{w.batches} * w.height * w.width * in);
      const auto f = values(size_t{w.filter_height} * w.filter_width * out);
      const auto b = values(out);
      const TensorId xs = tensor(m, {w.batches, w.height, w.width, in}, x, false);
      const TensorId fs = tensor(m, {1, w.filter_height, w.filter_width, out}, f, is_constant);
      const TensorId bs = tensor(m, {out}, b, is_constant);
      m.node(OperationCode::kDepthwiseConv2d, depthwise_inputs(m, w, {xs, fs, bs, multiplier, 0, false}),
             {m.output({w.batches, w.out_height, w.out_width, out})});
      const auto got = results(m);
      for (size_t i = 0; i < got.size(); ++i) {
        const size_t c = i % out;
        ExactSum exact;
        exact.add(b[c], 1);
        for_each_product(w, i / out,
                         [&](size_t pixel, size_t tap) { exact.add(x[pixel * in + c / multiplier], f[tap * out + c]); });
        ASSERT_LE(exact.distance(got[i]), 1) << "round " << round << ", element " << i;
      }
    }
  });
}

}  // namespace
}  // namespace nnvk::cpu
