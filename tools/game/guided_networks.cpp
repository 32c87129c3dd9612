#include "tools/game/guided_networks.h"

#include <array>
#include <cstring>
#include <functional>

#include "tools/nnapi/devices.h"
#include "tools/nnapi/session.h"

namespace nnvk::game {
namespace {

using tools::ModelBuilder;
using tools::Result;

tools::OperandInfo picture(uint32_t channels) { return {ANEURALNETWORKS_TENSOR_FLOAT32, {1, 0, 0, channels}}; }

std::vector<uint8_t> bytes_of(const std::vector<float>& values) {
  std::vector<uint8_t> bytes(values.size() * sizeof(float));
  std::memcpy(bytes.data(), values.data(), bytes.size());
  return bytes;
}

// A convolution of 3 x 3 pixels. `weight`: of a filter's output and input channel, and of the row and column from -1 to 1.
struct Convolution {
  uint32_t from = 0;  // channels
  uint32_t to = 0;
  int32_t activation = ANEURALNETWORKS_FUSED_NONE;
  std::function<float(uint32_t to, uint32_t from, int row, int column)> weight;
};

Result<uint32_t> add_convolution(ModelBuilder& model, uint32_t input, const Convolution& convolution) {
  std::vector<float> filter;
  for (uint32_t to = 0; to < convolution.to; ++to) {
    for (int row = -1; row <= 1; ++row) {
      for (int column = -1; column <= 1; ++column) {
        for (uint32_t from = 0; from < convolution.from; ++from) filter.push_back(convolution.weight(to, from, row, column));
      }
    }
  }
  TOOLS_ASSIGN(const uint32_t weights,
               model.add_operand({ANEURALNETWORKS_TENSOR_FLOAT32, {convolution.to, 3, 3, convolution.from}}));
  TOOLS_TRY(model.set_owned_value(weights, bytes_of(filter)));
  TOOLS_ASSIGN(const uint32_t bias, model.add_operand({ANEURALNETWORKS_TENSOR_FLOAT32, {convolution.to}}));
  TOOLS_TRY(model.set_owned_value(bias, bytes_of(std::vector<float>(convolution.to))));
  TOOLS_ASSIGN(const uint32_t padding, model.add_int32(ANEURALNETWORKS_PADDING_SAME));
  TOOLS_ASSIGN(const uint32_t stride, model.add_int32(1));
  TOOLS_ASSIGN(const uint32_t activation, model.add_int32(convolution.activation));
  TOOLS_ASSIGN(const uint32_t output, model.add_operand(picture(convolution.to)));
  const std::array inputs{input, weights, bias, padding, stride, stride, activation};
  TOOLS_TRY(model.add_operation(ANEURALNETWORKS_CONV_2D, inputs, std::span(&output, 1), "a convolution of the game"));
  return output;
}

// Channels of the outline network's pictures.
constexpr uint32_t kColour = 3;
constexpr uint32_t kDepth = 1;
constexpr uint32_t kMotion = 3;
constexpr uint32_t kJoined = kColour + kDepth + kMotion;
constexpr uint32_t kFeatures = 8;  // colour, outlines to both sides, motion in both directions, and a spare one
constexpr uint32_t kNearer = 3;
constexpr uint32_t kFarther = 4;
constexpr uint32_t kRight = 5;
constexpr uint32_t kDown = 6;

float feature_weight(uint32_t to, uint32_t from, int row, int column) {
  const bool middle = row == 0 && column == 0;
  constexpr uint32_t kDepthAt = kColour;
  constexpr uint32_t kMotionAt = kColour + kDepth;
  if (to < kColour) return middle && from == to ? 1.0F : 0.0F;
  if (to == kNearer || to == kFarther) {
    const float sharp = to == kNearer ? 8.0F : -8.0F;
    return from != kDepthAt ? 0.0F : middle ? sharp * 8 / 9 : -sharp / 9;
  }
  if (to == kRight || to == kDown) return from == kMotionAt + (to - kRight) ? 4.0F : 0.0F;
  return 0.02F;
}

float light_weight(uint32_t to, uint32_t from, int row, int column) {
  const bool middle = row == 0 && column == 0;
  if (from < kColour) return from != to ? 0.0F : middle ? 0.8F : 0.02F;
  if (from == kNearer || from == kFarther) return middle ? -0.7F : 0.0F;
  if (from == kRight || from == kDown) return to == 0 ? 0.08F : 0.03F;
  return 0.01F;
}

constexpr uint32_t kGlowFeatures = 8;

// A mean of 3 x 3 pixels, with a little of the other channels.
float glow_weight(uint32_t to, uint32_t from, int /*row*/, int /*column*/) {
  return (to % kColour == from % kColour ? 0.94F : 0.03F) / 9;
}

}  // namespace

Result<ModelBuilder> make_outline_network() {
  TOOLS_ASSIGN(ModelBuilder model, ModelBuilder::create());
  TOOLS_ASSIGN(const uint32_t colour, model.add_operand(picture(kColour)));
  TOOLS_ASSIGN(const uint32_t depth, model.add_operand(picture(kDepth)));
  TOOLS_ASSIGN(const uint32_t motion, model.add_operand(picture(kMotion)));
  TOOLS_ASSIGN(const uint32_t axis, model.add_int32(3));
  TOOLS_ASSIGN(const uint32_t joined, model.add_operand(picture(kJoined)));
  const std::array parts{colour, depth, motion, axis};
  TOOLS_TRY(model.add_operation(ANEURALNETWORKS_CONCATENATION, parts, std::span(&joined, 1), "the pictures of a frame"));
  TOOLS_ASSIGN(const uint32_t features,
               add_convolution(model, joined, {kJoined, kFeatures, ANEURALNETWORKS_FUSED_RELU, feature_weight}));
  TOOLS_ASSIGN(const uint32_t shown,
               add_convolution(model, features, {kFeatures, kColour, ANEURALNETWORKS_FUSED_NONE, light_weight}));
  TOOLS_TRY(model.finish(std::array{colour, depth, motion}, std::array{shown}));
  return model;
}

Result<ModelBuilder> make_glow_network() {
  TOOLS_ASSIGN(ModelBuilder model, ModelBuilder::create());
  TOOLS_ASSIGN(const uint32_t from, model.add_operand(picture(kColour)));
  uint32_t last = from;
  for (uint32_t step = 0; step < kGlowSteps; ++step) {
    const uint32_t channels = step == 0 ? kColour : kGlowFeatures;
    const bool is_last = step + 1 == kGlowSteps;
    // The mean over the input channels that stand for the same colour: 3, 3 and 2 of 8.
    const auto weight = [channels](uint32_t to, uint32_t of, int row, int column) {
      const uint32_t alike = channels == kColour ? 1 : (of % kColour == 2 ? 2 : 3);
      return glow_weight(to, of, row, column) / static_cast<float>(alike);
    };
    TOOLS_ASSIGN(
        last, add_convolution(model, last, {channels, is_last ? kColour : kGlowFeatures, ANEURALNETWORKS_FUSED_RELU6, weight}));
  }
  TOOLS_TRY(model.finish(std::array{from}, std::array{last}));
  return model;
}

Result<std::vector<float>> compute_on_cpu(const ModelBuilder& network, std::span<const std::vector<uint32_t>> dimensions,
                                          std::span<const std::vector<float>> inputs, size_t count) {
  TOOLS_ASSIGN(const tools::DeviceEntry cpu, tools::find_device("nnvk-cpu"));
  TOOLS_ASSIGN(const tools::CompilationHandle compilation, tools::compile_for(network, std::span(&cpu, 1), {}, {}));
  ANeuralNetworksExecution* made = nullptr;
  TOOLS_TRY(tools::check(ANeuralNetworksExecution_create(compilation.get(), &made), "ANeuralNetworksExecution_create"));
  const tools::ExecutionHandle execution(made);
  for (size_t i = 0; i < inputs.size(); ++i) {
    const ANeuralNetworksOperandType type{ANEURALNETWORKS_TENSOR_FLOAT32, static_cast<uint32_t>(dimensions[i].size()),
                                          dimensions[i].data(), 0, 0};
    TOOLS_TRY(tools::check(ANeuralNetworksExecution_setInput(made, static_cast<int32_t>(i), &type, inputs[i].data(),
                                                             inputs[i].size() * sizeof(float)),
                           "ANeuralNetworksExecution_setInput"));
  }
  std::vector<float> output(count);
  TOOLS_TRY(tools::check(ANeuralNetworksExecution_setOutput(made, 0, nullptr, output.data(), count * sizeof(float)),
                         "ANeuralNetworksExecution_setOutput"));
  TOOLS_TRY(tools::check(ANeuralNetworksExecution_compute(made), "ANeuralNetworksExecution_compute"));
  return output;
}

}  // namespace nnvk::game
