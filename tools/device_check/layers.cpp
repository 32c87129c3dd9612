#include "tools/device_check/layers.h"

#include <fmt/format.h>

#include <chrono>
#include <optional>
#include <random>
#include <vector>

#include "tools/nnapi/elapsed_time.h"
#include "tools/nnapi/session.h"
#include "tools/reports/profile.h"

namespace nnvk::tools::device_check {
namespace {

constexpr Layer kLayers[] = {
    {"convolution 1x1, 28x28, 256 channels", LayerKind::kConvolution, 28, 256, 1},
    {"convolution 3x3, 28x28, 128 channels", LayerKind::kConvolution, 28, 128, 3},
    {"depthwise 3x3, 56x56, 256 channels", LayerKind::kDepthwise, 56, 256, 3},
    {"fully connected, 1024 to 1024", LayerKind::kFullyConnected, 1, 1024, 1},
    {"matrix product, 256x256x256", LayerKind::kBatchMatmul, 256, 256, 1},
};
constexpr LayerType kTypes[] = {{"float32", ANEURALNETWORKS_TENSOR_FLOAT32},
                                {"float16", ANEURALNETWORKS_TENSOR_FLOAT16},
                                {"8-bit", ANEURALNETWORKS_TENSOR_QUANT8_ASYMM_SIGNED}};
constexpr uint32_t kBatches[] = {1, 8};
constexpr float kScale = 1.0F / 64;

// Builds one operation. Weights are random bytes that are no infinities in any type.
class LayerBuilder {
 public:
  LayerBuilder(ModelBuilder& builder, const LayerType& type) : builder_(builder), type_(type) {}

  bool is_8bit() const { return type_.code == ANEURALNETWORKS_TENSOR_QUANT8_ASYMM_SIGNED; }

  Result<uint32_t> tensor(std::vector<uint32_t> dimensions, float scale = kScale) {
    return builder_.add_operand({.type = type_.code, .dimensions = std::move(dimensions), .scale = is_8bit() ? scale : 0});
  }
  Result<uint32_t> weights(std::vector<uint32_t> dimensions) {
    TOOLS_ASSIGN(const uint32_t operand, tensor(std::move(dimensions)));
    std::vector<uint8_t> bytes(builder_.operand(operand).bytes());
    std::mt19937 random(1);
    // The top byte of a real number is small, so that the number is too.
    const size_t element = bytes.size() / builder_.operand(operand).elements();
    for (size_t i = 0; i < bytes.size(); ++i) {
      const bool is_top = element > 1 && i % element == element - 1;
      bytes[i] = static_cast<uint8_t>(is_top ? 0x38 : random());
    }
    TOOLS_TRY(builder_.set_owned_value(operand, std::move(bytes)));
    return operand;
  }
  Result<uint32_t> bias(uint32_t channels) {
    const int32_t type = is_8bit() ? ANEURALNETWORKS_TENSOR_INT32 : type_.code;
    TOOLS_ASSIGN(const uint32_t operand,
                 builder_.add_operand({.type = type, .dimensions = {channels}, .scale = is_8bit() ? kScale * kScale : 0}));
    TOOLS_TRY(builder_.set_owned_value(operand, std::vector<uint8_t>(builder_.operand(operand).bytes())));
    return operand;
  }
  Status scalars(std::vector<uint32_t>& inputs, std::initializer_list<int32_t> values) {
    for (const int32_t value : values) {
      TOOLS_ASSIGN(inputs.emplace_back(), builder_.add_int32(value));
    }
    return {};
  }

 private:
  ModelBuilder& builder_;
  const LayerType& type_;
};

struct Operation {
  int32_t code = 0;
  std::vector<uint32_t> inputs;
  std::vector<uint32_t> result;      // dimensions
  std::vector<uint32_t> read_first;  // operands that the model reads
};

Result<Operation> describe(ModelBuilder& builder, const Layer& layer, const LayerType& type, uint32_t batch) {
  LayerBuilder operands(builder, type);
  const uint32_t n = layer.size;
  const uint32_t c = layer.channels;
  constexpr int32_t kSame = ANEURALNETWORKS_PADDING_SAME;
  constexpr int32_t kNone = ANEURALNETWORKS_FUSED_NONE;
  Operation operation;
  const auto add = [&](Result<uint32_t> operand) -> Status {
    TOOLS_ASSIGN(operation.inputs.emplace_back(), std::move(operand));
    return {};
  };
  switch (layer.kind) {
    case LayerKind::kConvolution:
    case LayerKind::kDepthwise: {
      const bool is_depthwise = layer.kind == LayerKind::kDepthwise;
      operation.code = is_depthwise ? ANEURALNETWORKS_DEPTHWISE_CONV_2D : ANEURALNETWORKS_CONV_2D;
      operation.result = {batch, n, n, c};
      TOOLS_TRY(add(operands.tensor(operation.result)));
      TOOLS_TRY(add(operands.weights({is_depthwise ? 1 : c, layer.filter, layer.filter, c})));
      TOOLS_TRY(add(operands.bias(c)));
      TOOLS_TRY(operands.scalars(operation.inputs, {kSame, 1, 1}));
      if (is_depthwise) TOOLS_TRY(operands.scalars(operation.inputs, {1}));
      TOOLS_TRY(operands.scalars(operation.inputs, {kNone}));
      operation.read_first = {operation.inputs[0]};
      return operation;
    }
    case LayerKind::kFullyConnected:
      operation.code = ANEURALNETWORKS_FULLY_CONNECTED;
      operation.result = {batch, c};
      TOOLS_TRY(add(operands.tensor({batch, c})));
      TOOLS_TRY(add(operands.weights({c, c})));
      TOOLS_TRY(add(operands.bias(c)));
      TOOLS_TRY(operands.scalars(operation.inputs, {kNone}));
      operation.read_first = {operation.inputs[0]};
      return operation;
    default:
      operation.code = ANEURALNETWORKS_BATCH_MATMUL;
      operation.result = {batch, n, n};
      TOOLS_TRY(add(operands.tensor(operation.result)));
      TOOLS_TRY(add(operands.tensor(operation.result)));
      TOOLS_TRY(add(builder.add_bool(false)));
      TOOLS_TRY(add(builder.add_bool(false)));
      operation.read_first = {operation.inputs[0], operation.inputs[1]};
      return operation;
  }
}

Result<Json> measure(const DeviceEntry& device, const Layer& layer, const LayerType& type, uint32_t batch,
                     const std::optional<Ceilings>& ceilings) {
  TOOLS_ASSIGN(const ModelBuilder model, layer_model(layer, type, batch));
  TOOLS_ASSIGN(Session session, Session::compile(model, {&device, 1}));
  TOOLS_ASSIGN(const auto nodes, profile_executions(session, model));
  double seconds = 0;
  const ProfiledNode* longest = nullptr;
  for (const ProfiledNode& node : nodes) {
    seconds += node.seconds;
    if (longest == nullptr || node.seconds > longest->seconds) longest = &node;
  }
  if (longest == nullptr || seconds <= 0) return fail("the device measured no time");
  Json row{{"layer", layer.name}, {"type", type.name}, {"batch", batch}, {"kernel", longest->kernel}, {"seconds", seconds}};
  row["operations_per_second"] = 2 * longest->multiply_adds / seconds;
  if (const auto share = ceilings ? share_of_ceiling(*longest, *ceilings) : std::nullopt) row["share_of_ceiling"] = *share;
  return row;
}

}  // namespace

std::span<const Layer> layers() { return kLayers; }
std::span<const LayerType> layer_types() { return kTypes; }
std::span<const uint32_t> layer_batches() { return kBatches; }

Result<ModelBuilder> layer_model(const Layer& layer, const LayerType& type, uint32_t batch) {
  TOOLS_ASSIGN(ModelBuilder builder, ModelBuilder::create());
  TOOLS_ASSIGN(const Operation operation, describe(builder, layer, type, batch));
  // Wide enough for 8-bit sums: the speed does not depend on values.
  TOOLS_ASSIGN(const uint32_t result, LayerBuilder(builder, type).tensor(operation.result, 1));
  TOOLS_TRY(builder.add_operation(operation.code, operation.inputs, std::vector{result}, layer.name));
  TOOLS_TRY(builder.finish(operation.read_first, std::vector{result}));
  return builder;
}

Json measure_layers(const DeviceEntry& device, const Json& description, double seconds) {
  const auto start = std::chrono::steady_clock::now();
  const auto known = ceilings_in(nlohmann::json(description));
  const auto ceilings = known ? std::optional(*known) : std::nullopt;
  Json figures{{"layers", Json::array()}, {"left_out", 0}, {"errors", Json::array()}};
  size_t left_out = 0;
  // The batch in the outer loop: a short time measures all layers with one image.
  for (const uint32_t batch : layer_batches()) {
    for (const Layer& layer : kLayers) {
      for (const LayerType& type : kTypes) {
        if (seconds_since(start) > seconds) {
          ++left_out;
          continue;
        }
        const auto row = measure(device, layer, type, batch, ceilings);
        if (row) {
          figures["layers"].push_back(*row);
        } else {
          figures["errors"].push_back(fmt::format("{}, {}: {}", layer.name, type.name, row.error().message));
        }
      }
    }
  }
  figures["left_out"] = left_out;
  return figures;
}

}  // namespace nnvk::tools::device_check
