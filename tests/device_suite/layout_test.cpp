// Networks in NCHW, which devices may run in another layout. The reference runs plans unchanged and gives the expected result.
#include <random>

#include "tests/device_suite/device_fixture.h"

namespace nnvk::test {
namespace {

using enum OperationCode;

struct Layer {
  uint32_t channels, height, width;
};
Shape shape_of(const Layer& layer) { return {1, layer.channels, layer.height, layer.width}; }

// Convolutions, a residual block, pooling, a broadcast factor, resizing and joining, as in segmentation networks. One output is
// an intermediate result.
class ChannelsFirst : public DeviceSuite, public PlanFixture {
 protected:
  TensorId tensor(const Layer& layer, TensorRole role = TensorRole::kTemporary) {
    const float scale = type_ == OperandType::kTensorFloat32 ? 0.0F : 0.5F;
    const int32_t zero = type_ == OperandType::kTensorFloat32 ? 0 : 120;
    if (role == TensorRole::kInput) return input(shape_of(layer), type_, scale, zero);
    if (role == TensorRole::kOutput) return output(shape_of(layer), type_, scale, zero);
    return temporary(shape_of(layer), type_, scale, zero);
  }
  TensorId weights(const Shape& shape) {
    if (type_ == OperandType::kTensorFloat32) return constant(shape, type_, random_floats(shape.element_count()));
    std::vector<uint8_t> values(shape.element_count());
    for (uint8_t& value : values) value = static_cast<uint8_t>(random_());
    return constant(shape, type_, values, 0.0625F, 100);
  }
  TensorId bias(uint32_t count) {
    if (type_ == OperandType::kTensorFloat32) return constant<float>({count}, type_, random_floats(count));
    return constant<int32_t>({count}, OperandType::kTensorInt32, std::vector<int32_t>(count, 37), 0.03125F);
  }
  std::vector<float> random_floats(size_t count) {
    std::vector<float> values(count);
    for (float& value : values) value = std::uniform_real_distribution<float>(-1, 1)(random_);
    return values;
  }

  TensorId conv(TensorId in, const Layer& from, const Layer& to, uint32_t window, TensorId out) {
    const auto stride = static_cast<int32_t>(from.width / to.width);
    node(kConv2d,
         {in, weights({to.channels, window, window, from.channels}), bias(to.channels), scalar(1), scalar(stride), scalar(stride),
          scalar(0), flag(true)},
         {out});
    return out;
  }
  std::shared_ptr<const Plan> network() {
    const Layer image{3, 8, 12};
    const Layer small{20, 4, 6};
    const TensorId first = conv(tensor(image, TensorRole::kInput), image, small, 3, tensor(small));
    const TensorId rectified = tensor(small);
    node(kRelu, {first}, {rectified});
    const TensorId deep = tensor(small);
    node(kDepthwiseConv2d,
         {rectified, weights({1, 3, 3, 20}), bias(20), scalar(1), scalar(1), scalar(1), scalar(1), scalar(3), flag(true)},
         {deep});
    const TensorId block = conv(deep, small, small, 1, tensor(small));
    const TensorId sum = tensor(small, TensorRole::kOutput);  // later nodes read it too
    node(kAdd, {block, rectified, scalar(0)}, {sum});
    const Layer pixel{20, 1, 1};
    const TensorId pooled = tensor(pixel);
    node(kAveragePool2d, {sum, scalar(2), scalar(1), scalar(1), scalar(6), scalar(4), scalar(0), flag(true)}, {pooled});
    const TensorId scaled = tensor(small);
    node(kMaximum, {sum, pooled}, {scaled});
    const Layer large{20, 8, 12};
    const TensorId resized = tensor(large);
    node(kResizeBilinear, {scaled, scalar(12), scalar(8), flag(true)}, {resized});
    const TensorId edges = conv(raw().inputs[0], image, large, 3, tensor(large));
    const Layer both{40, 8, 12};
    const TensorId joined = tensor(both);
    node(kConcatenation, {resized, edges, scalar(1)}, {joined});
    conv(joined, both, {5, 8, 12}, 1, tensor({5, 8, 12}, TensorRole::kOutput));
    return plan();
  }

  // The bytes of all outputs.
  std::vector<std::vector<std::byte>> run(Device& device, const std::shared_ptr<const Plan>& plan,
                                          std::vector<std::byte>& image) {
    const auto prepared = value_of(device.prepare(plan, {}));
    std::vector<std::vector<std::byte>> results;
    std::vector<Binding> outputs;
    for (const TensorId id : plan->outputs) results.emplace_back(plan->tensors[id].info.byte_size().value());
    for (size_t i = 0; i < results.size(); ++i) {
      outputs.push_back(test::bind(results[i], plan->tensors[plan->outputs[i]].info.shape));
    }
    const Outcome outcome = execute(*prepared, {test::bind(image, plan->tensors[plan->inputs[0]].info.shape)}, outputs);
    EXPECT_TRUE(outcome.status) << outcome.status.error().text();
    return results;
  }

  OperandType type_ = OperandType::kTensorFloat32;
  std::mt19937 random_{5};
  const std::unique_ptr<Device> reference_ = cpu::make_reference_device();
};
NNVK_ON_EVERY_DEVICE(ChannelsFirst);

TEST_P(ChannelsFirst, FloatNetworksGiveTheReferencesResults) {
  const auto plan = network();
  const std::vector<float> pixels = random_floats(3 * 8 * 12);
  std::vector<std::byte> image(pixels.size() * sizeof(float));
  std::memcpy(image.data(), pixels.data(), image.size());
  const auto wanted = run(*reference_, plan, image);
  const auto got = run(*device_, plan, image);
  for (size_t i = 0; i < wanted.size(); ++i) {
    const auto* const a = reinterpret_cast<const float*>(wanted[i].data());
    const auto* const b = reinterpret_cast<const float*>(got[i].data());
    for (size_t e = 0; e < wanted[i].size() / sizeof(float); ++e) ASSERT_NEAR(a[e], b[e], 2e-4F) << "output " << i << ", " << e;
  }
}

TEST_P(ChannelsFirst, QuantizedNetworksGiveTheReferencesIntegers) {
  type_ = OperandType::kTensorQuant8Asymm;
  const auto plan = network();
  std::vector<std::byte> image(3 * 8 * 12);
  for (std::byte& byte : image) byte = static_cast<std::byte>(random_());
  EXPECT_EQ(run(*device_, plan, image), run(*reference_, plan, image));
}

}  // namespace
}  // namespace nnvk::test
