#include "integrations/gstreamer/frame_painter.h"

#include <fmt/format.h>

#include <array>
#include <utility>

#include "tools/image/picture.h"
#include "tools/nnapi/session.h"

namespace nnvk::gstreamer {
namespace {

using tools::check;
using tools::fail;
using tools::ModelBuilder;
using tools::OperandInfo;

constexpr uint32_t kColours = 3;
constexpr int32_t kOpaque = 255;
constexpr int32_t kSignedOffset = 128;  // signed values are pixels less this

// Builds the model, one operation behind the other.
class Painting {
 public:
  Painting(ModelBuilder& builder, const OperandInfo& from) : builder_(builder), info_(from) {}

  Status begin() {
    TOOLS_ASSIGN(at_, builder_.add_operand(info_));
    first_ = at_;
    return {};
  }

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

  // Computes `code` with one number for all elements.
  Status with_number(int32_t code, float number) {
    const OperandInfo one{.type = ANEURALNETWORKS_TENSOR_FLOAT32, .dimensions = {1}};
    TOOLS_ASSIGN(const uint32_t operand, builder_.add_operand(one));
    std::vector<uint8_t> bytes(sizeof number);
    std::memcpy(bytes.data(), &number, sizeof number);
    TOOLS_TRY(builder_.set_owned_value(operand, std::move(bytes)));
    TOOLS_ASSIGN(const uint32_t activation, builder_.add_int32(ANEURALNETWORKS_FUSED_NONE));
    return add(code, {operand, activation}, info_);
  }

  Status swap_red_and_blue() {
    constexpr int32_t kChannelDimension = 3;
    TOOLS_ASSIGN(const uint32_t axis, builder_.add_int32(kChannelDimension));
    TOOLS_ASSIGN(const uint32_t order, builder_.add_int32_tensor(std::array{2, 1, 0}));
    return add(ANEURALNETWORKS_GATHER, {axis, order}, info_);
  }

  Status add_alpha(float opaque) {
    TOOLS_ASSIGN(const uint32_t padding, paddings({0, 0, 0, 0, 0, 0, 0, 1}));
    TOOLS_ASSIGN(const uint32_t value, builder_.add_float32(opaque));
    OperandInfo result = info_;
    ++result.dimensions.back();
    return add(ANEURALNETWORKS_PAD_V2, {padding, value}, result);
  }

  // Makes rows of `stride` bytes.
  Status widen_rows(uint32_t stride) {
    OperandInfo rows = info_;
    const uint32_t row = info_.dimensions[2] * info_.dimensions[3];
    rows.dimensions = {info_.dimensions[1], row};
    if (row == stride) return {};
    TOOLS_ASSIGN(const uint32_t shape,
                 builder_.add_int32_tensor(std::array{static_cast<int32_t>(rows.dimensions[0]), static_cast<int32_t>(row)}));
    TOOLS_TRY(add(ANEURALNETWORKS_RESHAPE, {shape}, rows));
    TOOLS_ASSIGN(const uint32_t padding, paddings({0, 0, 0, static_cast<int32_t>(stride - row)}));
    rows.dimensions[1] = stride;
    return add(ANEURALNETWORKS_PAD, {padding}, rows);
  }

  Status finish() { return builder_.finish(std::span(&first_, 1), std::span(&at_, 1)); }
  const OperandInfo& info() const { return info_; }

 private:
  // Adds a constant of two numbers for each dimension.
  Result<uint32_t> paddings(const std::vector<int32_t>& numbers) {
    constexpr uint32_t kBothSides = 2;
    const OperandInfo info{.type = ANEURALNETWORKS_TENSOR_INT32,
                           .dimensions = {static_cast<uint32_t>(numbers.size()) / kBothSides, kBothSides}};
    TOOLS_ASSIGN(const uint32_t operand, builder_.add_operand(info));
    std::vector<uint8_t> bytes(numbers.size() * sizeof(int32_t));
    std::memcpy(bytes.data(), numbers.data(), bytes.size());
    TOOLS_TRY(builder_.set_owned_value(operand, std::move(bytes)));
    return operand;
  }

  ModelBuilder& builder_;
  OperandInfo info_;
  uint32_t first_ = 0;
  uint32_t at_ = 0;
};

bool begins_with_blue(GstVideoFormat format) {
  return format == GST_VIDEO_FORMAT_BGRx || format == GST_VIDEO_FORMAT_BGRA || format == GST_VIDEO_FORMAT_BGR;
}

}  // namespace

Result<std::shared_ptr<FramePainter>> FramePainter::make(const OperandInfo& from, const GstVideoInfo& to,
                                                         std::span<const tools::DeviceEntry> devices) {
  const bool is_float = from.type == ANEURALNETWORKS_TENSOR_FLOAT32;
  const bool is_signed = from.type == ANEURALNETWORKS_TENSOR_QUANT8_ASYMM_SIGNED;
  if ((!is_float && !is_signed && from.type != ANEURALNETWORKS_TENSOR_QUANT8_ASYMM) || from.dimensions.size() != 4 ||
      from.dimensions[3] != kColours) {
    return fail(
        fmt::format("{} is no picture; the network must make [1, height, width, 3] of float32 or 8-bit values", to_string(from)));
  }
  TOOLS_ASSIGN(ModelBuilder builder, ModelBuilder::create());
  Painting painting(builder, from);
  TOOLS_TRY(painting.begin());
  // Bytes of the frame: pixels from 0 to 255, whatever the tensor's values are.
  OperandInfo bytes{.type = ANEURALNETWORKS_TENSOR_QUANT8_ASYMM, .dimensions = {}, .scale = 1, .zero_point = 0};
  float opaque = kOpaque;
  if (is_float) {
    const auto normalisation = tools::pixel_normalisation(from);
    TOOLS_TRY(painting.with_number(ANEURALNETWORKS_MUL, static_cast<float>(normalisation.deviation)));
    TOOLS_TRY(painting.with_number(ANEURALNETWORKS_ADD, static_cast<float>(normalisation.mean)));
  } else {
    const int32_t offset = is_signed ? kSignedOffset : 0;
    bytes.scale = from.scale;
    bytes.zero_point = from.zero_point + offset;
    opaque = from.scale * static_cast<float>(kOpaque - bytes.zero_point);
    TOOLS_TRY(
        painting.add(ANEURALNETWORKS_DEQUANTIZE, {}, {.type = ANEURALNETWORKS_TENSOR_FLOAT32, .dimensions = from.dimensions}));
  }
  if (begins_with_blue(GST_VIDEO_INFO_FORMAT(&to))) TOOLS_TRY(painting.swap_red_and_blue());
  const auto pixel_bytes = static_cast<uint32_t>(GST_VIDEO_INFO_COMP_PSTRIDE(&to, 0));
  if (pixel_bytes > kColours) TOOLS_TRY(painting.add_alpha(opaque));
  bytes.dimensions = painting.info().dimensions;
  TOOLS_TRY(painting.add(ANEURALNETWORKS_QUANTIZE, {}, bytes));
  TOOLS_TRY(painting.widen_rows(static_cast<uint32_t>(GST_VIDEO_INFO_PLANE_STRIDE(&to, 0))));
  TOOLS_TRY(painting.finish());
  const size_t out_bytes = painting.info().bytes();
  std::shared_ptr<FramePainter> painter(new FramePainter(std::move(builder)));
  painter->in_bytes_ = from.bytes();
  painter->out_bytes_ = out_bytes;
  TOOLS_ASSIGN(painter->compilation_, tools::compile_for(painter->builder_, devices, {}, {}));
  return painter;
}

Result<std::shared_ptr<Run>> FramePainter::start(const Network& network, const NetworkRun& source,
                                                 const WritableFrame& frame) const {
  if (frame.size < out_bytes_) return fail("a frame for results is too small");
  ANeuralNetworksExecution* created = nullptr;
  TOOLS_TRY(check(ANeuralNetworksExecution_create(compilation_.get(), &created), "making an execution"));
  tools::ExecutionHandle execution(created);
  TOOLS_TRY(check(ANeuralNetworksExecution_setInputFromMemory(created, 0, nullptr, source.results->memory(),
                                                              network.output_offset(0), in_bytes_),
                  "binding a network's result"));
  TOOLS_TRY(check(ANeuralNetworksExecution_setOutputFromMemory(created, 0, nullptr, frame.memory.get(), frame.offset, out_bytes_),
                  "binding a frame for results"));
  return Run::start(std::move(execution), std::span(&source.run, 1), {shared_from_this(), source.results, frame.memory});
}

}  // namespace nnvk::gstreamer
