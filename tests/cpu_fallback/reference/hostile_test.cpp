// Kernels and shape functions together, with hostile parameters: every run ends with a result or an error. Built with sanitizers,
// this finds undefined arithmetic, and reads and writes outside the tensors.
#include <gtest/gtest.h>

#include <array>
#include <random>

#include "tests/cpu_fallback/reference/device_runner.h"

namespace nnvk::cpu {
namespace {

using namespace test;
using enum OperandType;

class Hostile {
 public:
  explicit Hostile(uint32_t seed) : random_(seed) {}

  uint32_t pick(uint32_t lo, uint32_t hi) { return std::uniform_int_distribution<uint32_t>(lo, hi)(random_); }
  // Mostly small numbers, sometimes the ends of the range.
  int32_t number() {
    static constexpr std::array<int32_t, 10> kNasty{INT32_MIN, INT32_MIN + 1, -65536,        -1,       0, 1,
                                                    65535,     1 << 30,       INT32_MAX - 1, INT32_MAX};
    return pick(0, 9) == 0 ? kNasty[pick(0, 9)] : static_cast<int32_t>(pick(0, 5)) - 1;
  }
  // Mostly the value that the operation expects.
  int32_t near(int32_t wanted) { return pick(0, 7) == 0 ? number() : wanted; }
  Shape shape(size_t rank) {
    Shape result;
    for (size_t d = 0; d < rank; ++d) result.dims.push_back(pick(1, 4));
    return result;
  }
  Operand image(OperandType type, Shape shape) {
    const size_t bytes = shape.element_count() * element_size(type);
    std::vector<uint8_t> values(bytes);
    for (uint8_t& b : values) b = static_cast<uint8_t>(random_());
    static constexpr std::array<float, 6> kScales{0.5F, 1e-30F, 1e30F, 1.0F, 0.01F, 1.0F / 256};
    const bool quantized = element_size(type) == 1;
    return tensor(
        type, std::move(shape), values, quantized ? kScales[pick(0, 5)] : 0.0F,
        quantized ? (type == kTensorQuant8Asymm ? static_cast<int32_t>(pick(0, 255)) : static_cast<int32_t>(pick(0, 255)) - 128)
                  : 0);
  }
  OperandType type() {
    static constexpr std::array<OperandType, 4> kTypes{kTensorFloat32, kTensorFloat16, kTensorQuant8Asymm,
                                                       kTensorQuant8AsymmSigned};
    return kTypes[pick(0, 3)];
  }
  Operand list(size_t count) {
    std::vector<int32_t> values(count);
    for (int32_t& v : values) v = number();
    return ints({static_cast<uint32_t>(count)}, values);
  }
  Operand bias(OperandType type, uint32_t count, const Operand& image, const Operand& filter) {
    if (element_size(type) != 1) return this->image(type, {count});
    Operand result = ints({count}, std::vector<int32_t>(count, number()));
    result.info.scale = image.info.scale * filter.info.scale;
    return result;
  }

 private:
  std::mt19937 random_;
};

// Runs one operation with any result. Counts successes, so that a test can check that it reached the kernels.
void run(OperationCode code, const std::vector<Operand>& inputs, OperandType output, int& successes) {
  const OperandInfo& like = inputs[0].info;
  for (const bool same_quantization : {true, false}) {
    const float scale = same_quantization ? like.scale : 1.0F / 256;
    const int32_t zero_point = same_quantization ? like.zero_point : output == kTensorQuant8AsymmSigned ? -128 : 0;
    if (run_outputs(code, inputs, {output_of(output, scale, zero_point)}).status) ++successes;
  }
}

constexpr int kRounds = 400;

TEST(HostileParameters, NeverBreakDataMovement) {
  Hostile h(1);
  int successes = 0;
  for (int round = 0; round < kRounds; ++round) {
    const size_t rank = h.pick(1, 4);
    const OperandType type = h.type();
    const Operand in = h.image(type, h.shape(rank));
    run(OperationCode::kSlice, {in, h.list(rank), h.list(rank)}, type, successes);
    run(OperationCode::kStridedSlice,
        {in, h.list(rank), h.list(rank), h.list(rank), int_scalar(h.number()), int_scalar(h.number()), int_scalar(h.near(0))},
        type, successes);
    run(OperationCode::kTranspose, {in, h.list(rank)}, type, successes);
    run(OperationCode::kReshape, {in, h.list(h.pick(1, 4))}, type, successes);
    run(OperationCode::kSqueeze, {in, h.list(h.pick(1, 2))}, type, successes);
    Operand paddings = h.list(2 * rank);
    paddings.info.shape = {static_cast<uint32_t>(rank), 2};
    run(OperationCode::kPad, {in, paddings}, type, successes);
    run(OperationCode::kConcatenation, {in, h.image(type, in.info.shape), int_scalar(h.near(0))}, type, successes);
    run(OperationCode::kMean, {in, h.list(h.pick(1, 3)), int_scalar(h.number())}, type, successes);
    run(OperationCode::kArgmax, {in, int_scalar(h.number())}, kTensorInt32, successes);
  }
  EXPECT_GT(successes, kRounds);
}

TEST(HostileParameters, NeverBreakElementwiseOperations) {
  Hostile h(2);
  int successes = 0;
  for (int round = 0; round < kRounds; ++round) {
    const OperandType type = h.type();
    const Shape shape = h.shape(h.pick(1, 4));
    const Operand a = h.image(type, shape);
    const Operand b = h.image(type, h.pick(0, 1) == 0 ? shape : h.shape(h.pick(1, 4)));
    for (const auto code : {OperationCode::kAdd, OperationCode::kSub, OperationCode::kMul, OperationCode::kDiv}) {
      if (code == OperationCode::kDiv && element_size(type) == 1) continue;
      run(code, {a, b, int_scalar(h.near(0))}, type, successes);
    }
    run(OperationCode::kPrelu, {a, b}, type, successes);
    for (const auto code : {OperationCode::kRelu, OperationCode::kRelu1, OperationCode::kRelu6, OperationCode::kLogistic,
                            OperationCode::kTanh, OperationCode::kHardSwish}) {
      run(code, {a}, type, successes);
    }
    run(OperationCode::kSoftmax, {a, type == kTensorFloat16 ? h.image(kFloat16, {}) : float_scalar(0.5F), int_scalar(h.number())},
        type, successes);
    if (element_size(type) > 1) run(OperationCode::kQuantize, {a}, kTensorQuant8Asymm, successes);
    if (type != kTensorQuant8AsymmSigned) run(OperationCode::kCast, {a}, kTensorInt32, successes);
  }
  EXPECT_GT(successes, kRounds);
}

TEST(HostileParameters, NeverBreakWindowOperations) {
  Hostile h(3);
  int successes = 0;
  for (int round = 0; round < kRounds; ++round) {
    const OperandType type = h.type();
    const Operand image = h.image(type, h.shape(4));
    const bool nchw = h.pick(0, 1) == 1;
    const uint32_t channels = image.info.shape[nchw ? 1 : 3];
    const uint32_t outputs = h.pick(1, 20);
    const Operand filter = h.image(type, {outputs, h.pick(1, 3), h.pick(1, 3), channels});
    const auto scalars = [&](std::vector<int32_t> values) {
      std::vector<Operand> result;
      for (const int32_t value : values) result.push_back(int_scalar(h.near(value)));
      return result;
    };
    const auto with = [&](std::vector<Operand> head, const std::vector<Operand>& tail, std::vector<Operand> last) {
      head.insert(head.end(), tail.begin(), tail.end());
      head.insert(head.end(), last.begin(), last.end());
      return head;
    };
    const Operand bias = h.bias(type, outputs, image, filter);
    run(OperationCode::kConv2d,
        with({image, filter, bias}, scalars({1, 1, 1, 1, 1, 2, 0}),
             {bool_scalar(nchw), int_scalar(h.near(1)), int_scalar(h.near(2))}),
        type, successes);
    run(OperationCode::kConv2d, with({image, filter, bias}, scalars({1, 1, 2, 3}), {bool_scalar(nchw)}), type, successes);
    run(OperationCode::kTransposeConv2d, with({image, filter, bias}, scalars({0, 1, 1, 0, 2, 1, 1}), {bool_scalar(nchw)}), type,
        successes);
    const int32_t multiplier = static_cast<int32_t>(h.pick(1, 3));
    const uint32_t deep = channels * static_cast<uint32_t>(multiplier);
    const Operand deep_filter = h.image(type, {1, h.pick(1, 3), h.pick(1, 3), deep});
    run(OperationCode::kDepthwiseConv2d,
        with({image, deep_filter, h.bias(type, deep, image, deep_filter)}, scalars({0, 1, 1, 0, 1, 2, multiplier, 0}),
             {bool_scalar(nchw)}),
        type, successes);
    for (const auto code : {OperationCode::kAveragePool2d, OperationCode::kMaxPool2d}) {
      run(code, with({image}, scalars({0, 1, 1, 0, 1, 2, 2, 2, 0}), {bool_scalar(nchw)}), type, successes);
      run(code, with({image}, scalars({1, 1, 1, 2, 3, 0}), {bool_scalar(nchw)}), type, successes);
    }
    const auto flags = std::vector<Operand>{bool_scalar(nchw), bool_scalar(h.pick(0, 1) == 1), bool_scalar(h.pick(0, 1) == 1)};
    for (const auto code : {OperationCode::kResizeBilinear, OperationCode::kResizeNearestNeighbor}) {
      run(code, with({image}, scalars({5, 3}), flags), type, successes);
    }
    const uint32_t depth = static_cast<uint32_t>(image.info.shape.element_count());
    const Operand weights = h.image(type, {outputs, depth});
    run(OperationCode::kFullyConnected, {image, weights, h.bias(type, outputs, image, weights), int_scalar(h.near(0))}, type,
        successes);
  }
  EXPECT_GT(successes, kRounds);
}

}  // namespace
}  // namespace nnvk::cpu
