// Builds the nodes that calibrations time: their sizes are those of MobileNets, segmentation and landmark networks.
#include "core/runtime/sample_plans.h"

#include <algorithm>
#include <cstring>
#include <functional>
#include <initializer_list>
#include <iterator>

#include "core/operations/operation_enumerators.h"
#include "core/operations/parameters/window_parameters.h"

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

  bool is_8bit() const { return type_ == kTensorQuant8AsymmSigned; }
  OperandType type() const { return type_; }
  TensorId input(const Shape& shape) { return input(shape, type_); }
  TensorId input(const Shape& shape, OperandType type) {
    const TensorId id = add(shape, type, scale_of(type), TensorRole::kInput);
    plan_.tensors[id].io_index = static_cast<uint32_t>(plan_.inputs.size());
    plan_.inputs.push_back(id);
    return id;
  }
  TensorId weights(const Shape& shape) {
    const uint64_t count = shape.element_count();
    if (is_8bit()) {
      std::vector<int8_t> values(count);
      for (size_t i = 0; i < count; ++i) values[i] = static_cast<int8_t>(i * 37 % 251);
      return constant(shape, type_, values, kWeightScale);
    }
    std::vector<float> values(count);
    for (size_t i = 0; i < count; ++i) values[i] = static_cast<float>(i * 37 % 251) / 251.0F - 0.5F;
    return constant(shape, type_, values, 0);
  }
  TensorId bias(uint32_t count) {
    if (is_8bit()) return constant({count}, kTensorInt32, std::vector<int32_t>(count, 100), kScale * kWeightScale);
    return constant({count}, kTensorFloat32, std::vector<float>(count, 0.25F), 0);
  }
  TensorId scalar(int32_t value) { return constant<int32_t>({}, kInt32, {value}, 0); }
  TensorId flag(bool value) { return constant<uint8_t>({}, kBool, {static_cast<uint8_t>(value)}, 0); }
  TensorId number(float value) { return constant<float>({}, kFloat32, {value}, 0); }
  TensorId numbers(const Shape& shape, const std::vector<int32_t>& values) { return constant(shape, kTensorInt32, values, 0); }
  TensorId temporary(const Shape& shape) { return temporary(shape, type_, scale_of(type_)); }
  TensorId temporary(const Shape& shape, OperandType type, float scale) {
    return add(shape, type, scale, TensorRole::kTemporary);
  }
  TensorId temporary_with_zero_point(const Shape& shape, float scale, int32_t zero_point) {
    const TensorId id = temporary(shape, type_, scale);
    plan_.tensors[id].info.zero_point = zero_point;
    return id;
  }
  void node(OperationCode code, std::vector<TensorId> inputs, TensorId output) {
    PlanNode node;
    node.code = code;
    node.inputs = std::move(inputs);
    node.outputs = {output};
    node.source_operation = static_cast<uint32_t>(plan_.nodes.size());
    plan_.nodes.push_back(std::move(node));
  }
  // Makes `count` nodes with `make`, which takes the tensor to read and returns the tensor that the node writes.
  SamplePlan repeat(size_t count, TensorId first, bool may_chain, const std::function<TensorId(TensorId)>& make) {
    TensorId source = first;
    TensorId result = first;
    for (size_t i = 0; i < count; ++i) {
      result = make(source);
      const OperandInfo& written = plan_.tensors[result].info;
      const OperandInfo& read = plan_.tensors[first].info;
      if (may_chain && written.shape == read.shape && written.type == read.type) source = result;
    }
    plan_.tensors[result].role = TensorRole::kOutput;
    plan_.outputs = {result};
    return {std::make_shared<const Plan>(std::move(plan_)), count};
  }

 private:
  static float scale_of(OperandType type) { return element_size(type) == 1 ? kScale : 0.0F; }
  TensorId add(const Shape& shape, OperandType type, float scale, TensorRole role) {
    PlanTensor tensor;
    tensor.info.type = type;
    tensor.info.shape = shape;
    tensor.info.scale = scale;
    tensor.info.zero_point = scale == kScale ? kZeroPoint : 0;
    tensor.role = role;
    plan_.tensors.push_back(std::move(tensor));
    return static_cast<TensorId>(plan_.tensors.size() - 1);
  }
  template <class T>
  TensorId constant(const Shape& shape, OperandType type, const std::vector<T>& values, float scale) {
    const TensorId id = add(shape, type, scale, TensorRole::kConstant);
    auto bytes = std::make_shared<std::vector<std::byte>>(values.size() * sizeof(T));
    std::memcpy(bytes->data(), values.data(), bytes->size());
    plan_.tensors[id].value = *bytes;
    plan_.tensors[id].owner = std::move(bytes);
    return id;
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

Shape image(uint32_t side, uint32_t channels, bool nchw) {
  return nchw ? Shape{1, channels, side, side} : Shape{1, side, side, channels};
}

uint32_t strided(uint32_t side, uint32_t stride) { return (side + stride - 1) / stride; }

SamplePlan convolution_sample(const Layer& layer, bool is_8bit, bool nchw, size_t count = kNodesPerPlan) {
  SampleBuilder b(is_8bit);
  const TensorId weights = b.weights({layer.out, layer.window, layer.window, layer.in});
  const TensorId bias = b.bias(layer.out);
  const TensorId same = b.scalar(kPaddingSame);
  const TensorId stride = b.scalar(static_cast<int32_t>(layer.stride));
  const TensorId activation = b.scalar(0);
  const TensorId layout = b.flag(nchw);
  return b.repeat(count, b.input(image(layer.side, layer.in, nchw)), true, [&](TensorId x) {
    const TensorId y = b.temporary(image(strided(layer.side, layer.stride), layer.out, nchw));
    b.node(OperationCode::kConv2d, {x, weights, bias, same, stride, stride, activation, layout}, y);
    return y;
  });
}

SamplePlan depthwise_sample(const Layer& layer, bool is_8bit, bool nchw) {
  SampleBuilder b(is_8bit);
  const TensorId weights = b.weights({1, layer.window, layer.window, layer.in});
  const TensorId bias = b.bias(layer.in);
  const TensorId same = b.scalar(kPaddingSame);
  const TensorId stride = b.scalar(static_cast<int32_t>(layer.stride));
  const TensorId one = b.scalar(1);
  const TensorId activation = b.scalar(0);
  const TensorId layout = b.flag(nchw);
  return b.repeat(kNodesPerPlan, b.input(image(layer.side, layer.in, nchw)), true, [&](TensorId x) {
    const TensorId y = b.temporary(image(strided(layer.side, layer.stride), layer.in, nchw));
    b.node(OperationCode::kDepthwiseConv2d, {x, weights, bias, same, stride, stride, one, activation, layout}, y);
    return y;
  });
}

SamplePlan transposed_sample(const Layer& layer, bool is_8bit) {
  SampleBuilder b(is_8bit);
  const uint32_t side = layer.side * layer.stride;
  const TensorId weights = b.weights({layer.out, layer.window, layer.window, layer.in});
  const TensorId bias = b.bias(layer.out);
  const TensorId shape =
      b.numbers({4}, {1, static_cast<int32_t>(side), static_cast<int32_t>(side), static_cast<int32_t>(layer.out)});
  const TensorId same = b.scalar(kPaddingSame);
  const TensorId stride = b.scalar(static_cast<int32_t>(layer.stride));
  const TensorId none = b.scalar(0);
  const TensorId nhwc = b.flag(false);
  return b.repeat(1, b.input(image(layer.side, layer.in, false)), false, [&](TensorId x) {
    const TensorId y = b.temporary(image(side, layer.out, false));
    b.node(OperationCode::kTransposeConv2d, {x, weights, bias, shape, same, stride, stride, none, nhwc}, y);
    return y;
  });
}

SamplePlan fully_connected_sample(uint32_t rows, uint32_t in, uint32_t out, bool is_8bit, size_t count = kNodesPerPlan) {
  SampleBuilder b(is_8bit);
  const TensorId weights = b.weights({out, in});
  const TensorId bias = b.bias(out);
  const TensorId none = b.scalar(0);
  return b.repeat(count, b.input({rows, in}), true, [&](TensorId x) {
    const TensorId y = b.temporary({rows, out});
    b.node(OperationCode::kFullyConnected, {x, weights, bias, none}, y);
    return y;
  });
}

SamplePlan matrix_sample(uint32_t rows, uint32_t depth, uint32_t columns, bool is_8bit) {
  SampleBuilder b(is_8bit);
  const TensorId right = b.input({1, depth, columns});
  const TensorId plain = b.flag(false);
  return b.repeat(kNodesPerPlan, b.input({1, rows, depth}), false, [&](TensorId x) {
    const TensorId y = b.temporary({1, rows, columns});
    b.node(OperationCode::kBatchMatmul, {x, right, plain, plain}, y);
    return y;
  });
}

// Makes ADDs or MULs with a tensor of `other`'s shape.
SamplePlan pair_sample(OperationCode code, const Shape& shape, const Shape& other, bool is_8bit) {
  SampleBuilder b(is_8bit);
  const TensorId right = b.input(other);
  const TensorId none = b.scalar(0);
  return b.repeat(kNodesPerPlan, b.input(shape), true, [&](TensorId x) {
    const TensorId y = b.temporary(shape);
    b.node(code, {x, right, none}, y);
    return y;
  });
}

SamplePlan unary_sample(OperationCode code, const Shape& shape, bool is_8bit) {
  SampleBuilder b(is_8bit);
  return b.repeat(kNodesPerPlan, b.input(shape), false, [&](TensorId x) {
    // The scale and zero point that 8-bit LOGISTIC and TANH prescribe.
    const bool is_logistic = code == OperationCode::kLogistic;
    const bool is_tanh = code == OperationCode::kTanh;
    const TensorId y = is_8bit && (is_logistic || is_tanh)
                           ? b.temporary_with_zero_point(shape, is_logistic ? 1.0F / 256 : 1.0F / 128, is_logistic ? -128 : 0)
                           : b.temporary(shape);
    b.node(code, {x}, y);
    return y;
  });
}

SamplePlan softmax_sample(const Shape& shape, bool is_8bit) {
  SampleBuilder b(is_8bit);
  const TensorId beta = b.number(1.0F);
  return b.repeat(kNodesPerPlan, b.input(shape), false, [&](TensorId x) {
    const TensorId y = is_8bit ? b.temporary_with_zero_point(shape, 1.0F / 256, -128) : b.temporary(shape);
    b.node(OperationCode::kSoftmax, {x, beta}, y);
    return y;
  });
}

SamplePlan pooling_sample(OperationCode code, const Layer& layer, bool is_8bit) {
  SampleBuilder b(is_8bit);
  const TensorId valid = b.scalar(kPaddingValid);
  const TensorId stride = b.scalar(static_cast<int32_t>(layer.stride));
  const TensorId window = b.scalar(static_cast<int32_t>(layer.window));
  const TensorId none = b.scalar(0);
  return b.repeat(kNodesPerPlan, b.input(image(layer.side, layer.in, false)), false, [&](TensorId x) {
    const TensorId y = b.temporary(image((layer.side - layer.window) / layer.stride + 1, layer.in, false));
    b.node(code, {x, valid, stride, stride, window, window, none}, y);
    return y;
  });
}

SamplePlan resize_sample(uint32_t from, uint32_t to, uint32_t channels, bool is_8bit) {
  SampleBuilder b(is_8bit);
  const TensorId size = b.scalar(static_cast<int32_t>(to));
  return b.repeat(1, b.input(image(from, channels, false)), false, [&](TensorId x) {
    const TensorId y = b.temporary(image(to, channels, false));
    b.node(OperationCode::kResizeBilinear, {x, size, size}, y);
    return y;
  });
}

SamplePlan mean_sample(uint32_t side, uint32_t channels, bool is_8bit) {
  SampleBuilder b(is_8bit);
  const TensorId axes = b.numbers({2}, {1, 2});
  const TensorId keep = b.scalar(1);
  return b.repeat(kNodesPerPlan, b.input(image(side, channels, false)), false, [&](TensorId x) {
    const TensorId y = b.temporary({1, 1, 1, channels});
    b.node(OperationCode::kMean, {x, axes, keep}, y);
    return y;
  });
}

SamplePlan argmax_sample(uint32_t side, uint32_t channels, bool is_8bit) {
  SampleBuilder b(is_8bit);
  const TensorId axis = b.scalar(3);
  return b.repeat(1, b.input(image(side, channels, false)), false, [&](TensorId x) {
    const TensorId y = b.temporary({1, side, side}, kTensorInt32, 0);
    b.node(OperationCode::kArgmax, {x, axis}, y);
    return y;
  });
}

SamplePlan concatenation_sample(uint32_t side, uint32_t channels, bool is_8bit) {
  SampleBuilder b(is_8bit);
  const TensorId axis = b.scalar(3);
  return b.repeat(kNodesPerPlan, b.input(image(side, channels, false)), false, [&](TensorId x) {
    const TensorId y = b.temporary(image(side, 2 * channels, false));
    b.node(OperationCode::kConcatenation, {x, x, axis}, y);
    return y;
  });
}

// Makes PADs that add one row and one column behind the image, or eight channels.
SamplePlan pad_sample(uint32_t side, uint32_t channels, bool of_channels, bool is_8bit) {
  SampleBuilder b(is_8bit);
  const TensorId paddings =
      of_channels ? b.numbers({4, 2}, {0, 0, 0, 0, 0, 0, 0, 8}) : b.numbers({4, 2}, {0, 0, 0, 1, 0, 1, 0, 0});
  return b.repeat(kNodesPerPlan, b.input(image(side, channels, false)), false, [&](TensorId x) {
    const TensorId y = b.temporary(of_channels ? image(side, channels + 8, false) : image(side + 1, channels, false));
    b.node(OperationCode::kPad, {x, paddings}, y);
    return y;
  });
}

SamplePlan transpose_sample(uint32_t rows, uint32_t columns, bool is_8bit) {
  SampleBuilder b(is_8bit);
  const TensorId permutation = b.numbers({2}, {1, 0});
  return b.repeat(kNodesPerPlan, b.input({rows, columns}), false, [&](TensorId x) {
    const TensorId y = b.temporary({columns, rows});
    b.node(OperationCode::kTranspose, {x, permutation}, y);
    return y;
  });
}

SamplePlan conversion_sample(uint32_t count, bool is_8bit) {
  SampleBuilder b(is_8bit);
  return b.repeat(kNodesPerPlan, b.input({count}), false, [&](TensorId x) {
    const TensorId y = is_8bit ? b.temporary({count}, kTensorFloat32, 0) : b.temporary({count}, kTensorQuant8AsymmSigned, kScale);
    b.node(is_8bit ? OperationCode::kDequantize : OperationCode::kQuantize, {x}, y);
    return y;
  });
}

// Returns the samples of one class. A family of costs without samples does not compile.
std::vector<SamplePlan> samples_of(CostFamily family, bool is_8bit) {
  using enum OperationCode;
  const std::vector<Shape> images{{1, 56, 56, 24}, {1, 14, 14, 96}, {1, 7, 7, 32}};
  std::vector<SamplePlan> samples;
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

std::vector<SamplePlan> sample_plans() {
  std::vector<SamplePlan> samples;
  for (const bool is_8bit : {false, true}) {
    for (size_t family = 0; family < kCostFamilyCount; ++family) {
      std::ranges::move(samples_of(static_cast<CostFamily>(family), is_8bit), std::back_inserter(samples));
    }
  }
  return samples;
}

std::vector<SamplePlan> product_plans() {
  std::vector<SamplePlan> samples;
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
    Plan relaxed = *samples[i].plan;
    relaxed.relaxed = true;
    samples.push_back({std::make_shared<const Plan>(std::move(relaxed)), samples[i].count});
  }
  return samples;
}

SamplePlan addition_plan(size_t count, uint32_t elements) {
  SampleBuilder b(false);
  const TensorId none = b.scalar(0);
  return b.repeat(count, b.input({elements}), true, [&](TensorId x) {
    const TensorId y = b.temporary({elements});
    b.node(OperationCode::kAdd, {x, x, none}, y);
    return y;
  });
}

}  // namespace nnvk
