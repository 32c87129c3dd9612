// Builds networks like MobileNetV2 layer by layer. The input is a picture of `size` by `size` pixels.
#pragma once

#include <android/NeuralNetworks.h>

#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "perf/nnapi_model.h"

namespace nnvk::perf {

class BlocksBuilder {
 public:
  BlocksBuilder(const ElementType& type, bool nchw, uint32_t size, uint32_t channels = 3)
      : type_(type), nchw_(nchw), size_(size), channels_(channels), last_(builder_.input(type, dims(size, channels))) {}

  void convolution(uint32_t channels, uint32_t filter, uint32_t stride, bool is_last = false) {
    const uint32_t weights = builder_.weights(type_, {channels, filter, filter, channels_});
    layer(ANEURALNETWORKS_CONV_2D, weights, channels, stride, is_last);
  }
  void depthwise(uint32_t stride) {
    layer(ANEURALNETWORKS_DEPTHWISE_CONV_2D, builder_.weights(type_, {1, 3, 3, channels_}), channels_, stride, false);
  }
  // Adds the residual connection of a block: `before` is the block's input.
  void add(uint32_t before) {
    const uint32_t sum = builder_.temporary(type_, dims(size_, channels_));
    builder_.operation(ANEURALNETWORKS_ADD, {last_, before, builder_.scalar(ANEURALNETWORKS_FUSED_NONE)}, sum);
    last_ = sum;
  }
  uint32_t last() const { return last_; }
  // The mean of every channel: ROI_ALIGN with `samples` samples along a row. FLOAT32 and NHWC only.
  uint32_t means(int32_t samples, bool is_last = false) {
    const auto side = static_cast<float>(size_);
    const uint32_t box = builder_.values({1, 4}, {0.0F, 0.0F, side, side});
    const uint32_t batch = builder_.bias(kQuant8, 1, 0.0F);
    const uint32_t result = is_last ? builder_.output(type_, dims(1, channels_)) : builder_.temporary(type_, dims(1, channels_));
    builder_.operation(ANEURALNETWORKS_ROI_ALIGN,
                       {last_, box, batch, builder_.scalar(1), builder_.scalar(1), builder_.number(1.0F), builder_.number(1.0F),
                        builder_.scalar(1), builder_.scalar(samples), builder_.flag(false)},
                       result);
    return result;
  }
  // Multiplies every channel by the sigmoid of its mean. `means` is the result of means().
  void scale_by(uint32_t means) {
    const uint32_t factors = builder_.temporary(type_, dims(1, channels_));
    builder_.operation(ANEURALNETWORKS_LOGISTIC, {means}, factors);
    const uint32_t scaled = builder_.temporary(type_, dims(size_, channels_));
    builder_.operation(ANEURALNETWORKS_MUL, {last_, factors, builder_.scalar(ANEURALNETWORKS_FUSED_NONE)}, scaled);
    last_ = scaled;
  }
  // The shape of the current tensor.
  std::vector<uint32_t> shape() const { return dims(size_, channels_); }
  std::unique_ptr<CompiledModel> compile(std::span<const Device> devices) {
    return std::make_unique<CompiledModel>(builder_, devices);
  }

 private:
  std::vector<uint32_t> dims(uint32_t size, uint32_t channels) const {
    return nchw_ ? std::vector<uint32_t>{1, channels, size, size} : std::vector<uint32_t>{1, size, size, channels};
  }
  void layer(ANeuralNetworksOperationType code, uint32_t weights, uint32_t channels, uint32_t stride, bool is_last) {
    const uint32_t bias = builder_.bias(type_, channels, type_.scale * type_.scale);
    std::vector<uint32_t> inputs{last_, weights, bias, builder_.scalar(ANEURALNETWORKS_PADDING_SAME)};
    for (int i = 0; i < 2; ++i) inputs.push_back(builder_.scalar(static_cast<int32_t>(stride)));
    if (code == ANEURALNETWORKS_DEPTHWISE_CONV_2D) inputs.push_back(builder_.scalar(1));
    inputs.push_back(builder_.scalar(ANEURALNETWORKS_FUSED_RELU6));
    inputs.push_back(builder_.flag(nchw_));
    size_ /= stride;
    channels_ = channels;
    last_ = is_last ? builder_.output(type_, dims(size_, channels)) : builder_.temporary(type_, dims(size_, channels));
    builder_.operation(code, inputs, last_);
  }

  ModelBuilder builder_;
  const ElementType type_;
  const bool nchw_;
  uint32_t size_;
  uint32_t channels_;
  uint32_t last_;
};

// A 3x3 convolution of floats, [1, side, side, 64] to the same.
inline std::unique_ptr<CompiledModel> one_convolution(const Device& device, uint32_t side) {
  ModelBuilder builder;
  const uint32_t input = builder.input(kFloat32, {1, side, side, 64});
  const uint32_t same = builder.scalar(ANEURALNETWORKS_PADDING_SAME);
  const uint32_t one = builder.scalar(1);
  const uint32_t none = builder.scalar(ANEURALNETWORKS_FUSED_NONE);
  const uint32_t filter = builder.weights(kFloat32, {64, 3, 3, 64});
  const uint32_t bias = builder.bias(kFloat32, 64, 0);
  const uint32_t result = builder.output(kFloat32, {1, side, side, 64});
  builder.operation(ANEURALNETWORKS_CONV_2D, {input, filter, bias, same, one, one, none}, result);
  return std::make_unique<CompiledModel>(builder, device);
}

}  // namespace nnvk::perf
