#include "tools/video/frame_painter.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cstring>
#include <utility>

#include "tools/nnapi/session.h"

namespace nnvk::tools::video {
namespace {

constexpr uint32_t kColours = 3;

template <class Value>
std::vector<uint8_t> bytes_of(const std::vector<Value>& values) {
  std::vector<uint8_t> bytes(values.size() * sizeof(Value));
  std::memcpy(bytes.data(), values.data(), bytes.size());
  return bytes;
}

// Builds the model: the branch of a plane is one operation behind the other.
class Painting {
 public:
  Painting(ModelBuilder& builder, const OperandInfo& from) : builder_(builder), info_(from) {}

  // Adds the tensor that all planes read, as floats.
  Status begin() {
    TOOLS_ASSIGN(input_, builder_.add_operand(info_));
    at_ = input_;
    if (info_.type != ANEURALNETWORKS_TENSOR_FLOAT32) {
      TOOLS_TRY(add(ANEURALNETWORKS_DEQUANTIZE, {}, {.type = ANEURALNETWORKS_TENSOR_FLOAT32, .dimensions = info_.dimensions}));
    }
    floats_ = at_;
    floats_info_ = info_;
    return {};
  }

  // Adds the branch of one plane. `pixels`: how the tensor's values become 0 to 255.
  Status add_plane(const PaintedPlane& plane, const Normalisation& pixels) {
    at_ = floats_;
    info_ = floats_info_;
    if (plane.sample_width > 1 || plane.sample_height > 1) TOOLS_TRY(average(plane));
    TOOLS_TRY(mix(plane.components, pixels));
    TOOLS_TRY(add(ANEURALNETWORKS_QUANTIZE, {},
                  {.type = ANEURALNETWORKS_TENSOR_QUANT8_ASYMM, .dimensions = info_.dimensions, .scale = 1, .zero_point = 0}));
    TOOLS_TRY(widen_rows(plane.row_bytes));
    outputs_.push_back(at_);
    return {};
  }

  Status finish() { return builder_.finish(std::span(&input_, 1), outputs_); }
  size_t bytes() const { return info_.bytes(); }

 private:
  // Adds an operation on the tensor so far and these further operands.
  Status add(int32_t code, std::vector<uint32_t> others, const OperandInfo& result) {
    TOOLS_ASSIGN(const uint32_t output, builder_.add_operand(result));
    std::vector<uint32_t> inputs = {at_};
    inputs.insert(inputs.end(), others.begin(), others.end());
    TOOLS_TRY(builder_.add_operation(code, inputs, std::span(&output, 1), "painting a frame"));
    at_ = output;
    info_ = result;
    return {};
  }

  Result<uint32_t> constant(const OperandInfo& info, std::vector<uint8_t> bytes) {
    TOOLS_ASSIGN(const uint32_t operand, builder_.add_operand(info));
    TOOLS_TRY(builder_.set_owned_value(operand, std::move(bytes)));
    return operand;
  }

  Status add_numbers(std::vector<uint32_t>& operands, std::initializer_list<int32_t> numbers) {
    for (const int32_t number : numbers) {
      TOOLS_ASSIGN(operands.emplace_back(), builder_.add_int32(number));
    }
    return {};
  }

  // Adds the means of the pixels that become one sample; at the edge there are fewer.
  Status average(const PaintedPlane& plane) {
    const auto width = static_cast<int32_t>(plane.sample_width);
    const auto height = static_cast<int32_t>(plane.sample_height);
    std::vector<uint32_t> operands;
    TOOLS_TRY(add_numbers(operands, {ANEURALNETWORKS_PADDING_SAME, width, height, width, height, ANEURALNETWORKS_FUSED_NONE}));
    OperandInfo result = info_;
    result.dimensions[kTensorHeight] = samples_of(result.dimensions[kTensorHeight], plane.sample_height);
    result.dimensions[kTensorWidth] = samples_of(result.dimensions[kTensorWidth], plane.sample_width);
    return add(ANEURALNETWORKS_AVERAGE_POOL_2D, std::move(operands), result);
  }

  // Adds the components of a plane: weights for each colour, which also turn the tensor's values into 0 to 255.
  Status mix(std::span<const Mixture> components, const Normalisation& pixels) {
    std::vector<float> filter;
    std::vector<float> bias;
    for (const Mixture& component : components) {
      float sum = 0;
      for (const float weight : component.weights) {
        filter.push_back(weight * static_cast<float>(pixels.deviation));
        sum += weight;
      }
      bias.push_back(component.offset + sum * static_cast<float>(pixels.mean));
    }
    const auto count = static_cast<uint32_t>(components.size());
    OperandInfo result = info_;
    result.dimensions[kTensorChannels] = count;
    std::vector<uint32_t> operands(2);
    TOOLS_ASSIGN(operands[0], constant({.type = info_.type, .dimensions = {count, 1, 1, kColours}}, bytes_of(filter)));
    TOOLS_ASSIGN(operands[1], constant({.type = info_.type, .dimensions = {count}}, bytes_of(bias)));
    TOOLS_TRY(add_numbers(operands, {ANEURALNETWORKS_PADDING_VALID, 1, 1, ANEURALNETWORKS_FUSED_NONE}));
    return add(ANEURALNETWORKS_CONV_2D, std::move(operands), result);
  }

  // Makes rows of `wide` bytes.
  Status widen_rows(uint32_t wide) {
    const uint32_t row = info_.dimensions[kTensorWidth] * info_.dimensions[kTensorChannels];
    if (row == wide) return {};
    OperandInfo rows = info_;
    rows.dimensions = {info_.dimensions[kTensorHeight], row};
    const std::array shape = {static_cast<int32_t>(rows.dimensions[0]), static_cast<int32_t>(row)};
    TOOLS_ASSIGN(const uint32_t to_rows, builder_.add_int32_tensor(shape));
    TOOLS_TRY(add(ANEURALNETWORKS_RESHAPE, {to_rows}, rows));
    // Two numbers for each dimension.
    TOOLS_ASSIGN(const uint32_t padding, constant({.type = ANEURALNETWORKS_TENSOR_INT32, .dimensions = {2, 2}},
                                                  bytes_of(std::vector<int32_t>{0, 0, 0, static_cast<int32_t>(wide - row)})));
    rows.dimensions[1] = wide;
    return add(ANEURALNETWORKS_PAD, {padding}, rows);
  }

  ModelBuilder& builder_;
  OperandInfo info_;  // of at_
  uint32_t at_ = 0;
  uint32_t input_ = 0;
  OperandInfo floats_info_;
  uint32_t floats_ = 0;
  std::vector<uint32_t> outputs_;
};

}  // namespace

Result<std::shared_ptr<FramePainter>> FramePainter::make(const OperandInfo& from, std::span<const PaintedPlane> planes,
                                                         std::span<const DeviceEntry> devices) {
  const bool is_known = from.type == ANEURALNETWORKS_TENSOR_FLOAT32 || from.type == ANEURALNETWORKS_TENSOR_QUANT8_ASYMM ||
                        from.type == ANEURALNETWORKS_TENSOR_QUANT8_ASYMM_SIGNED;
  if (!is_known || from.dimensions.size() != 4 || from.dimensions[kTensorChannels] != kColours) {
    return fail(
        fmt::format("{} is no picture; the network must make [1, height, width, 3] of float32 or 8-bit values", to_string(from)));
  }
  const Normalisation pixels = pixel_normalisation(from);
  TOOLS_ASSIGN(ModelBuilder builder, ModelBuilder::create());
  Painting painting(builder, from);
  TOOLS_TRY(painting.begin());
  std::vector<Part> parts;
  for (const PaintedPlane& plane : planes) {
    TOOLS_TRY(painting.add_plane(plane, pixels));
    parts.push_back({plane.offset, painting.bytes()});
  }
  TOOLS_TRY(painting.finish());
  std::shared_ptr<FramePainter> painter(new FramePainter(std::move(builder)));
  painter->in_bytes_ = from.bytes();
  painter->parts_ = std::move(parts);
  TOOLS_ASSIGN(painter->compilation_, compile_for(painter->builder_, devices, {}, {}));
  return painter;
}

Result<std::shared_ptr<Run>> FramePainter::start(const Network& network, const NetworkRun& source,
                                                 const WritableFrame& frame) const {
  ANeuralNetworksExecution* created = nullptr;
  TOOLS_TRY(check(ANeuralNetworksExecution_create(compilation_.get(), &created), "making an execution"));
  ExecutionHandle execution(created);
  TOOLS_TRY(check(ANeuralNetworksExecution_setInputFromMemory(created, 0, nullptr, source.results->memory(),
                                                              network.output_offset(0), in_bytes_),
                  "binding a network's result"));
  for (size_t i = 0; i < parts_.size(); ++i) {
    if (frame.size < parts_[i].offset + parts_[i].bytes) return fail("a frame for results is too small");
    TOOLS_TRY(check(ANeuralNetworksExecution_setOutputFromMemory(created, static_cast<int32_t>(i), nullptr, frame.memory.get(),
                                                                 frame.offset + parts_[i].offset, parts_[i].bytes),
                    "binding a frame for results"));
  }
  return Run::start(std::move(execution), std::span(&source.run, 1), {shared_from_this(), source.results, frame.memory});
}

}  // namespace nnvk::tools::video
