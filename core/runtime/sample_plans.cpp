// Builds the nodes that calibrations time: their sizes are those of MobileNets, segmentation and landmark networks.
#include "core/runtime/sample_plans.h"

#include <algorithm>
#include <concepts>
#include <initializer_list>
#include <iterator>
#include <span>
#include <utility>

#include "core/operations/operation_enumerators.h"
#include "core/operations/parameters/window_parameters.h"
#include "core/plan/added_tensors.h"

namespace nnvk {
namespace {

constexpr size_t kNodesPerPlan = 4;
constexpr float kScale = 0.5F;      // of 8-bit activations
constexpr int32_t kZeroPoint = -5;  // of those
constexpr float kWeightScale = 0.0078125F;

using enum OperandType;

class SampleBuilder {
 public:
  explicit SampleBuilder(bool is_8bit) : type_(is_8bit ? kTensorQuant8AsymmSigned : kTensorFloat32) {}

  // Describes an activation; only 8-bit ones have a scale and a zero point.
  OperandInfo activation(const Shape& shape, float scale = kScale, int32_t zero_point = kZeroPoint) const {
    return is_8bit() ? operand_info(type_, shape, scale, zero_point) : operand_info(type_, shape);
  }
  TensorId input(const Shape& shape) { return add_tensor(plan_, activation(shape), TensorRole::kInput); }
  TensorId weights(const Shape& shape) {
    const uint64_t count = shape.element_count();
    if (is_8bit()) {
      std::vector<int8_t> values(count);
      for (size_t i = 0; i < count; ++i) values[i] = static_cast<int8_t>(i * 37 % 251);
      return constant(operand_info(type_, shape, kWeightScale), values);
    }
    std::vector<float> values(count);
    for (size_t i = 0; i < count; ++i) values[i] = static_cast<float>(i * 37 % 251) / 251.0F - 0.5F;
    return constant(operand_info(type_, shape), values);
  }
  TensorId bias(uint32_t count) {
    if (is_8bit()) {
      return constant(operand_info(kTensorInt32, {count}, kScale * kWeightScale), std::vector<int32_t>(count, 100));
    }
    return constant(operand_info(kTensorFloat32, {count}), std::vector<float>(count, 0.25F));
  }
  TensorId scalar(std::integral auto number) {
    const auto value = static_cast<int32_t>(number);
    return add_int_constant(plan_, {}, std::span(&value, 1));
  }
  TensorId no_activation() { return scalar(0); }
  TensorId flag(bool value) { return constant<uint8_t>(operand_info(kBool, {}), {static_cast<uint8_t>(value)}); }
  TensorId number(float value) { return constant<float>(operand_info(kFloat32, {}), {value}); }
  TensorId numbers(const Shape& shape, const std::vector<int32_t>& values) { return add_int_constant(plan_, shape, values); }

  // Makes a plan of `count` nodes that read the same inputs.
  PlanPointer repeat(OperationCode code, std::vector<TensorId> inputs, const OperandInfo& result, size_t count = kNodesPerPlan) {
    return build(code, std::move(inputs), result, count, false);
  }
  // Makes a plan of `count` nodes that read the result of the node before in place of their first input, if the two are alike.
  PlanPointer chain(OperationCode code, std::vector<TensorId> inputs, const OperandInfo& result, size_t count = kNodesPerPlan) {
    const OperandInfo& read = plan_.tensors[inputs.front()].info;
    const bool are_alike = result.shape == read.shape && result.type == read.type;
    return build(code, std::move(inputs), result, count, are_alike);
  }

 private:
  bool is_8bit() const { return type_ == kTensorQuant8AsymmSigned; }
  template <class T>
  TensorId constant(OperandInfo info, const std::vector<T>& values) {
    const auto bytes = std::as_bytes(std::span(values));
    return add_constant(plan_, std::move(info), {bytes.begin(), bytes.end()});
  }
  PlanPointer build(OperationCode code, std::vector<TensorId> inputs, const OperandInfo& result, size_t count, bool is_chain) {
    TensorId written = kNoTensor;
    for (size_t i = 0; i < count; ++i) {
      if (is_chain && i > 0) std::ranges::replace(inputs, TensorId{inputs.front()}, written);
      written = add_tensor(plan_, result, i + 1 < count ? TensorRole::kTemporary : TensorRole::kOutput);
      add_node(plan_, code, inputs, {written}, static_cast<uint32_t>(i));
    }
    return std::make_shared<const Plan>(std::move(plan_));
  }

  OperandType type_;
  Plan plan_;
};

struct Layer {
  uint32_t side = 1;  // of the image
  uint32_t in = 1;    // channels
  uint32_t out = 1;
  uint32_t window = 1;
  uint32_t stride = 1;
};

Shape image(uint32_t side, uint32_t channels, bool nchw = false) {
  return nchw ? Shape{1, channels, side, side} : Shape{1, side, side, channels};
}

uint32_t strided(uint32_t side, uint32_t stride) { return (side + stride - 1) / stride; }

PlanPointer convolution_sample(const Layer& layer, bool is_8bit, bool nchw, size_t count = kNodesPerPlan) {
  SampleBuilder b(is_8bit);
  const TensorId stride = b.scalar(layer.stride);
  return b.chain(OperationCode::kConv2d,
                 {b.input(image(layer.side, layer.in, nchw)), b.weights({layer.out, layer.window, layer.window, layer.in}),
                  b.bias(layer.out), b.scalar(kPaddingSame), stride, stride, b.no_activation(), b.flag(nchw)},
                 b.activation(image(strided(layer.side, layer.stride), layer.out, nchw)), count);
}

PlanPointer depthwise_sample(const Layer& layer, bool is_8bit, bool nchw) {
  SampleBuilder b(is_8bit);
  const TensorId stride = b.scalar(layer.stride);
  const TensorId multiplier = b.scalar(1);
  return b.chain(OperationCode::kDepthwiseConv2d,
                 {b.input(image(layer.side, layer.in, nchw)), b.weights({1, layer.window, layer.window, layer.in}),
                  b.bias(layer.in), b.scalar(kPaddingSame), stride, stride, multiplier, b.no_activation(), b.flag(nchw)},
                 b.activation(image(strided(layer.side, layer.stride), layer.in, nchw)));
}

PlanPointer transposed_sample(const Layer& layer, bool is_8bit) {
  SampleBuilder b(is_8bit);
  const uint32_t side = layer.side * layer.stride;
  const TensorId shape =
      b.numbers({4}, {1, static_cast<int32_t>(side), static_cast<int32_t>(side), static_cast<int32_t>(layer.out)});
  const TensorId stride = b.scalar(layer.stride);
  const TensorId nchw = b.flag(false);
  return b.repeat(OperationCode::kTransposeConv2d,
                  {b.input(image(layer.side, layer.in)), b.weights({layer.out, layer.window, layer.window, layer.in}),
                   b.bias(layer.out), shape, b.scalar(kPaddingSame), stride, stride, b.no_activation(), nchw},
                  b.activation(image(side, layer.out)), 1);
}

PlanPointer fully_connected_sample(uint32_t rows, uint32_t in, uint32_t out, bool is_8bit, size_t count = kNodesPerPlan) {
  SampleBuilder b(is_8bit);
  return b.chain(OperationCode::kFullyConnected, {b.input({rows, in}), b.weights({out, in}), b.bias(out), b.no_activation()},
                 b.activation({rows, out}), count);
}

PlanPointer matrix_sample(uint32_t rows, uint32_t depth, uint32_t columns, bool is_8bit) {
  SampleBuilder b(is_8bit);
  const TensorId plain = b.flag(false);
  return b.repeat(OperationCode::kBatchMatmul, {b.input({1, rows, depth}), b.input({1, depth, columns}), plain, plain},
                  b.activation({1, rows, columns}));
}

// Makes ADDs or MULs with a tensor of `other`'s shape.
PlanPointer pair_sample(OperationCode code, const Shape& shape, const Shape& other, bool is_8bit) {
  SampleBuilder b(is_8bit);
  return b.chain(code, {b.input(shape), b.input(other), b.no_activation()}, b.activation(shape));
}

PlanPointer unary_sample(OperationCode code, const Shape& shape, bool is_8bit) {
  SampleBuilder b(is_8bit);
  OperandInfo result = b.activation(shape);
  // The scale and zero point that 8-bit LOGISTIC and TANH prescribe.
  if (code == OperationCode::kLogistic) result = b.activation(shape, 1.0F / 256, -128);
  if (code == OperationCode::kTanh) result = b.activation(shape, 1.0F / 128, 0);
  return b.repeat(code, {b.input(shape)}, result);
}

PlanPointer softmax_sample(const Shape& shape, bool is_8bit) {
  SampleBuilder b(is_8bit);
  const TensorId beta = b.number(1.0F);
  return b.repeat(OperationCode::kSoftmax, {b.input(shape), beta}, b.activation(shape, 1.0F / 256, -128));
}

PlanPointer pooling_sample(OperationCode code, const Layer& layer, bool is_8bit) {
  SampleBuilder b(is_8bit);
  const TensorId stride = b.scalar(layer.stride);
  const TensorId window = b.scalar(layer.window);
  return b.repeat(
      code, {b.input(image(layer.side, layer.in)), b.scalar(kPaddingValid), stride, stride, window, window, b.no_activation()},
      b.activation(image((layer.side - layer.window) / layer.stride + 1, layer.in)));
}

PlanPointer resize_sample(uint32_t from, uint32_t to, uint32_t channels, bool is_8bit) {
  SampleBuilder b(is_8bit);
  const TensorId size = b.scalar(to);
  return b.repeat(OperationCode::kResizeBilinear, {b.input(image(from, channels)), size, size}, b.activation(image(to, channels)),
                  1);
}

PlanPointer mean_sample(uint32_t side, uint32_t channels, bool is_8bit) {
  SampleBuilder b(is_8bit);
  const TensorId axes = b.numbers({2}, {1, 2});
  const TensorId keep = b.scalar(1);
  return b.repeat(OperationCode::kMean, {b.input(image(side, channels)), axes, keep}, b.activation({1, 1, 1, channels}));
}

PlanPointer argmax_sample(uint32_t side, uint32_t channels, bool is_8bit) {
  SampleBuilder b(is_8bit);
  const TensorId axis = b.scalar(3);
  return b.repeat(OperationCode::kArgmax, {b.input(image(side, channels)), axis}, operand_info(kTensorInt32, {1, side, side}), 1);
}

PlanPointer concatenation_sample(uint32_t side, uint32_t channels, bool is_8bit) {
  SampleBuilder b(is_8bit);
  const TensorId axis = b.scalar(3);
  const TensorId x = b.input(image(side, channels));
  return b.repeat(OperationCode::kConcatenation, {x, x, axis}, b.activation(image(side, 2 * channels)));
}

// Makes PADs that add one row and one column behind the image, or eight channels.
PlanPointer pad_sample(uint32_t side, uint32_t channels, bool of_channels, bool is_8bit) {
  SampleBuilder b(is_8bit);
  const TensorId paddings =
      of_channels ? b.numbers({4, 2}, {0, 0, 0, 0, 0, 0, 0, 8}) : b.numbers({4, 2}, {0, 0, 0, 1, 0, 1, 0, 0});
  const Shape padded = of_channels ? image(side, channels + 8) : image(side + 1, channels);
  return b.repeat(OperationCode::kPad, {b.input(image(side, channels)), paddings}, b.activation(padded));
}

PlanPointer transpose_sample(uint32_t rows, uint32_t columns, bool is_8bit) {
  SampleBuilder b(is_8bit);
  const TensorId permutation = b.numbers({2}, {1, 0});
  return b.repeat(OperationCode::kTranspose, {b.input({rows, columns}), permutation}, b.activation({columns, rows}));
}

PlanPointer conversion_sample(uint32_t count, bool is_8bit) {
  SampleBuilder b(is_8bit);
  const OperandInfo converted = SampleBuilder(!is_8bit).activation({count});
  return b.repeat(is_8bit ? OperationCode::kDequantize : OperationCode::kQuantize, {b.input({count})}, converted);
}

// Returns the samples of one class. A family of costs without samples does not compile.
std::vector<PlanPointer> samples_of(CostFamily family, bool is_8bit) {
  using enum OperationCode;
  const std::vector<Shape> images{{1, 56, 56, 24}, {1, 14, 14, 96}, {1, 7, 7, 32}};
  std::vector<PlanPointer> samples;
  const auto convolutions = [&](std::initializer_list<Layer> layers, bool nchw) {
    for (const Layer& layer : layers) samples.push_back(convolution_sample(layer, is_8bit, nchw));
  };
  const auto depthwise = [&](std::initializer_list<Layer> layers, bool nchw) {
    for (const Layer& layer : layers) samples.push_back(depthwise_sample(layer, is_8bit, nchw));
  };
  switch (family) {
    case CostFamily::kConvolution:
      convolutions({{96, 3, 16, 3, 2}, {28, 32, 32, 3, 1}, {56, 16, 32, 3, 2}, {14, 96, 64, 3, 1}, {7, 64, 24, 3, 1}}, false);
      convolutions({{28, 32, 32, 3, 1}, {48, 3, 16, 3, 2}, {14, 96, 64, 3, 1}}, true);
      return samples;
    case CostFamily::kPointwise:
      convolutions({{56, 16, 96}, {56, 96, 24}, {28, 144, 32}, {28, 32, 192}, {14, 96, 576}}, false);
      convolutions({{14, 576, 96}, {7, 320, 640}, {7, 960, 160}, {12, 48, 48}, {1, 256, 256}}, false);
      convolutions({{28, 32, 96}, {14, 96, 288}, {7, 480, 160}, {28, 96, 24}}, true);
      return samples;
    case CostFamily::kDepthwise:
      depthwise({{56, 96, 96, 3, 2}, {56, 32, 32, 3, 1}, {75, 24, 24, 3, 1}, {33, 72, 72, 3, 2}, {28, 144, 144, 3, 1}}, false);
      depthwise({{14, 384, 384, 3, 1}, {7, 960, 960, 3, 1}, {14, 96, 96, 5, 1}, {12, 48, 48, 3, 1}}, false);
      depthwise({{28, 96, 96, 3, 1}, {14, 192, 192, 3, 1}, {56, 32, 32, 3, 2}}, true);
      return samples;
    case CostFamily::kTransposedConvolution:
      return {transposed_sample({8, 32, 32, 3, 2}, is_8bit), transposed_sample({14, 48, 24, 2, 2}, is_8bit)};
    case CostFamily::kMatrix:
      return {fully_connected_sample(1, 1280, 1000, is_8bit), fully_connected_sample(1, 64, 12, is_8bit),
              fully_connected_sample(32, 256, 256, is_8bit), matrix_sample(32, 64, 32, is_8bit),
              matrix_sample(64, 128, 128, is_8bit)};
    case CostFamily::kElementwise:
      samples = {unary_sample(kHardSwish, {1, 28, 28, 32}, is_8bit)};
      for (const Shape& shape : images) {
        samples.push_back(pair_sample(kAdd, shape, shape, is_8bit));
        samples.push_back(pair_sample(kMul, shape, shape, is_8bit));
        samples.push_back(unary_sample(kRelu, shape, is_8bit));
      }
      return samples;
    case CostFamily::kBroadcast:
      samples = {pair_sample(kSub, {1, 96, 96, 3}, {3}, is_8bit)};
      for (const Shape& shape : images) samples.push_back(pair_sample(kMul, shape, {1, 1, 1, shape[3]}, is_8bit));
      return samples;
    case CostFamily::kFunction:
      samples = {unary_sample(kTanh, {1, 28, 28, 32}, is_8bit)};
      for (const Shape& shape : images) samples.push_back(unary_sample(kLogistic, shape, is_8bit));
      return samples;
    case CostFamily::kNormalization:
      return {softmax_sample({1, 1001}, is_8bit), softmax_sample({256, 21}, is_8bit)};
    case CostFamily::kPooling:
      return {pooling_sample(kAveragePool2d, {7, 1280, 1280, 7, 1}, is_8bit),
              pooling_sample(kMaxPool2d, {56, 32, 32, 2, 2}, is_8bit),
              pooling_sample(kAveragePool2d, {28, 64, 64, 2, 2}, is_8bit)};
    case CostFamily::kResize:
      return {resize_sample(14, 28, 64, is_8bit), resize_sample(33, 129, 21, is_8bit), resize_sample(1, 33, 64, is_8bit)};
    case CostFamily::kReduction:
      return {mean_sample(7, 1280, is_8bit), mean_sample(28, 96, is_8bit), argmax_sample(65, 21, is_8bit)};
    case CostFamily::kMovement:
      return {pad_sample(28, 32, true, is_8bit),  concatenation_sample(28, 32, is_8bit), concatenation_sample(7, 16, is_8bit),
              pad_sample(56, 24, false, is_8bit), pad_sample(14, 64, false, is_8bit),    transpose_sample(128, 192, is_8bit)};
    case CostFamily::kConversion:
      return {conversion_sample(50000, is_8bit), conversion_sample(1000, is_8bit)};
    case CostFamily::kOther:  // nothing in common that a sample could show
      return {};
  }
  return {};
}

}  // namespace

std::vector<PlanPointer> sample_plans() {
  std::vector<PlanPointer> samples;
  for (const bool is_8bit : {false, true}) {
    for (size_t family = 0; family < kCostFamilyCount; ++family) {
      std::ranges::move(samples_of(static_cast<CostFamily>(family), is_8bit), std::back_inserter(samples));
    }
  }
  return samples;
}

std::vector<PlanPointer> product_plans() {
  std::vector<PlanPointer> samples;
  for (const bool is_8bit : {false, true}) {
    for (const uint32_t rows : {1, 8, 64, 512, 4096, 16384}) {
      samples.push_back(fully_connected_sample(rows, 256, 1024, is_8bit, 1));
    }
    samples.push_back(fully_connected_sample(1, 2048, 1000, is_8bit, 1));
    for (const Layer& layer :
         {Layer{14, 256, 256, 3, 1}, {56, 64, 64, 3, 1}, {112, 64, 64, 3, 1}, {14, 512, 512}, {56, 128, 128}}) {
      samples.push_back(convolution_sample(layer, is_8bit, false, 1));
    }
  }
  const size_t count = samples.size() / 2;
  for (size_t i = 0; i < count; ++i) {
    Plan relaxed = *samples[i];
    relaxed.relaxed = true;
    samples.push_back(std::make_shared<const Plan>(std::move(relaxed)));
  }
  return samples;
}

PlanPointer addition_plan(size_t count, uint32_t elements) {
  SampleBuilder b(false);
  const TensorId x = b.input({elements});
  return b.chain(OperationCode::kAdd, {x, x, b.no_activation()}, b.activation({elements}), count);
}

}  // namespace nnvk
