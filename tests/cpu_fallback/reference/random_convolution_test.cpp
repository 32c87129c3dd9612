// Convolutions of random geometry: against a plain double-precision loop, against each other in both layouts, types and
// directions.
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <random>

#include "tests/cpu_fallback/reference/device_runner.h"

namespace nnvk::cpu {
namespace {

using namespace test;
using enum OperandType;

// Inputs 3.. of a convolution with explicit padding {left, right, top, bottom}.
std::vector<Operand> explicit_tail(std::array<int32_t, 4> pads, int32_t stride_w, int32_t stride_h, std::vector<int32_t> more,
                                   bool nchw) {
  std::vector<Operand> tail;
  for (const int32_t pad : pads) tail.push_back(int_scalar(pad));
  tail.push_back(int_scalar(stride_w));
  tail.push_back(int_scalar(stride_h));
  for (const int32_t m : more) tail.push_back(int_scalar(m));
  tail.push_back(bool_scalar(nchw));
  return tail;
}

std::vector<Operand> join(std::vector<Operand> head, const std::vector<Operand>& tail) {
  head.insert(head.end(), tail.begin(), tail.end());
  return head;
}

// A random float convolution, checked against double precision, in both layouts.
struct RandomConvolution {
  uint32_t batches, height, width, in, out, filter_h, filter_w;
  int32_t stride_h, stride_w, dilation_h, dilation_w;
  std::array<int32_t, 4> pads;  // left, right, top, bottom
  std::vector<float> image, filter, bias;
};

RandomConvolution random_convolution(std::mt19937& random) {
  const auto pick = [&](uint32_t lo, uint32_t hi) { return std::uniform_int_distribution<uint32_t>(lo, hi)(random); };
  RandomConvolution c{};
  c.batches = pick(1, 2);
  c.height = pick(5, 9);
  c.width = pick(5, 9);
  c.in = pick(1, 5);
  c.out = pick(1, 37);
  c.filter_h = pick(1, 3);
  c.filter_w = pick(1, 3);
  c.stride_h = static_cast<int32_t>(pick(1, 3));
  c.stride_w = static_cast<int32_t>(pick(1, 3));
  c.dilation_h = static_cast<int32_t>(pick(1, 2));
  c.dilation_w = static_cast<int32_t>(pick(1, 2));
  for (size_t side = 0; side < 4; ++side)
    c.pads[side] = static_cast<int32_t>(pick(0, side < 2 ? c.filter_w - 1 : c.filter_h - 1));
  const auto fill = [&](std::vector<float>& v, size_t n) {
    v.resize(n);
    for (float& x : v) x = std::uniform_real_distribution<float>(-1, 1)(random);
  };
  fill(c.image, size_t{c.batches} * c.height * c.width * c.in);
  fill(c.filter, size_t{c.out} * c.filter_h * c.filter_w * c.in);
  fill(c.bias, c.out);
  return c;
}

double exact_sum(const RandomConvolution& c, uint32_t n, int64_t y, int64_t x, uint32_t k) {
  double sum = c.bias[k];
  for (int64_t i = 0; i < c.filter_h; ++i) {
    for (int64_t j = 0; j < c.filter_w; ++j) {
      const int64_t row = y * c.stride_h - c.pads[2] + i * c.dilation_h;
      const int64_t column = x * c.stride_w - c.pads[0] + j * c.dilation_w;
      if (row < 0 || row >= c.height || column < 0 || column >= c.width) continue;
      for (int64_t d = 0; d < c.in; ++d) {
        sum += static_cast<double>(c.image[static_cast<size_t>(((n * c.height + row) * c.width + column) * c.in + d)]) *
               static_cast<double>(c.filter[static_cast<size_t>(((k * int64_t{c.filter_h} + i) * c.filter_w + j) * c.in + d)]);
      }
    }
  }
  return sum;
}

std::vector<float> to_nchw(const std::vector<float>& nhwc, uint32_t h, uint32_t w, uint32_t c) {
  std::vector<float> result(nhwc.size());
  for (size_t i = 0; i < nhwc.size(); ++i) {
    const size_t channel = i % c;
    const size_t pixel = i / c % (size_t{h} * w);
    const size_t batch = i / c / (size_t{h} * w);
    result[(batch * c + channel) * h * w + pixel] = nhwc[i];
  }
  return result;
}

TEST(Conv2d, MatchesAPlainLoopForRandomGeometryInBothLayouts) {
  std::mt19937 random(7);
  for (int round = 0; round < 60; ++round) {
    const RandomConvolution c = random_convolution(random);
    const auto filter = floats({c.out, c.filter_h, c.filter_w, c.in}, c.filter);
    const auto bias = floats({c.out}, c.bias);
    auto tail = [&](bool nchw) {
      auto t = explicit_tail(c.pads, c.stride_w, c.stride_h, {0}, nchw);
      t.push_back(int_scalar(c.dilation_w));
      t.push_back(int_scalar(c.dilation_h));
      return t;
    };
    const auto r = run_operation<float>(OperationCode::kConv2d,
                                        join({floats({c.batches, c.height, c.width, c.in}, c.image), filter, bias}, tail(false)),
                                        kTensorFloat32);
    if (!r.status) {  // the paddings exceed the image
      EXPECT_EQ(r.status.error().code, Code::kOpFailed);
      continue;
    }
    size_t e = 0;
    for (uint32_t n = 0; n < r.shape[0]; ++n) {
      for (uint32_t y = 0; y < r.shape[1]; ++y) {
        for (uint32_t x = 0; x < r.shape[2]; ++x) {
          for (uint32_t k = 0; k < r.shape[3]; ++k) ASSERT_NEAR(r.values[e++], exact_sum(c, n, y, x, k), 1e-5);
        }
      }
    }
    const auto turned = run_operation<float>(
        OperationCode::kConv2d,
        join({floats({c.batches, c.in, c.height, c.width}, to_nchw(c.image, c.height, c.width, c.in)), filter, bias}, tail(true)),
        kTensorFloat32);
    ASSERT_TRUE(turned.status);
    EXPECT_EQ(turned.values, to_nchw(r.values, r.shape[1], r.shape[2], r.shape[3]));
  }
}

TEST(TransposeConv2d, IsTheAdjointOfConv2d) {
  // <conv(x), y> == <x, transpose_conv(y)> for the same filter (its channels exchanged), stride and padding.
  std::mt19937 random(11);
  int compared = 0;
  for (int round = 0; round < 60; ++round) {
    RandomConvolution c = random_convolution(random);
    std::fill(c.bias.begin(), c.bias.end(), 0.0F);
    const auto forward =
        run_operation<float>(OperationCode::kConv2d,
                             join({floats({c.batches, c.height, c.width, c.in}, c.image),
                                   floats({c.out, c.filter_h, c.filter_w, c.in}, c.filter), floats({c.out}, c.bias)},
                                  explicit_tail(c.pads, c.stride_w, c.stride_h, {0}, false)),
                             kTensorFloat32);
    if (!forward.status) continue;
    std::vector<float> exchanged(c.filter.size());
    const size_t taps = size_t{c.filter_h} * c.filter_w;
    for (size_t k = 0; k < c.out; ++k) {
      for (size_t t = 0; t < taps; ++t) {
        for (size_t d = 0; d < c.in; ++d) exchanged[(d * taps + t) * c.out + k] = c.filter[(k * taps + t) * c.in + d];
      }
    }
    std::vector<float> y(forward.values.size());
    for (float& v : y) v = std::uniform_real_distribution<float>(-1, 1)(random);
    const auto backward =
        run_operation<float>(OperationCode::kTransposeConv2d,
                             join({floats(forward.shape, y), floats({c.in, c.filter_h, c.filter_w, c.out}, exchanged),
                                   floats({c.in}, std::vector<float>(c.in, 0.0F))},
                                  explicit_tail(c.pads, c.stride_w, c.stride_h, {0}, false)),
                             kTensorFloat32);
    // The way back has the size of the image only when the stride divides evenly.
    if (!backward.status || backward.shape != Shape({c.batches, c.height, c.width, c.in})) continue;
    double left = 0;
    double right = 0;
    for (size_t i = 0; i < y.size(); ++i) left += static_cast<double>(forward.values[i]) * y[i];
    for (size_t i = 0; i < c.image.size(); ++i) right += static_cast<double>(c.image[i]) * backward.values[i];
    EXPECT_NEAR(left, right, 1e-3 * (1.0 + std::abs(left)));
    ++compared;
  }
  EXPECT_GT(compared, 10);
}

TEST(Conv2d, SignedAndUnsignedVariantsAgree) {
  std::mt19937 random(3);
  for (int round = 0; round < 20; ++round) {
    std::vector<uint8_t> image(5 * 5 * 3);
    std::vector<uint8_t> filter(19 * 3 * 3 * 3);
    for (uint8_t& b : image) b = static_cast<uint8_t>(random());
    for (uint8_t& b : filter) b = static_cast<uint8_t>(random());
    const auto shifted = [](const std::vector<uint8_t>& from) {
      std::vector<int8_t> to(from.size());
      std::transform(from.begin(), from.end(), to.begin(), [](uint8_t b) { return static_cast<int8_t>(b - 128); });
      return to;
    };
    std::vector<int32_t> bias(19);
    for (int32_t& b : bias) b = static_cast<int32_t>(random() % 2001) - 1000;
    const Operand bias_operand = tensor<int32_t>(kTensorInt32, {19}, bias, 0.5F * 0.25F);
    const std::vector<Operand> tail{int_scalar(1), int_scalar(2), int_scalar(1), int_scalar(round % 4)};
    const auto u = run_operation<uint8_t>(
        OperationCode::kConv2d,
        join({quant8({1, 5, 5, 3}, image, 0.5F, 120), quant8({19, 3, 3, 3}, filter, 0.25F, 130), bias_operand}, tail),
        kTensorQuant8Asymm, 20.0F, 100);
    const auto s = run_operation<int8_t>(
        OperationCode::kConv2d,
        join({signed8({1, 5, 5, 3}, shifted(image), 0.5F, -8), signed8({19, 3, 3, 3}, shifted(filter), 0.25F, 2), bias_operand},
             tail),
        kTensorQuant8AsymmSigned, 20.0F, -28);
    ASSERT_TRUE(u.status && s.status);
    EXPECT_EQ(s.values, shifted(u.values));
  }
}

}  // namespace
}  // namespace nnvk::cpu
