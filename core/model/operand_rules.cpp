// Rules about single operands: types, shapes, quantization.
#include "core/model/operand_rules.h"

#include <algorithm>
#include <limits>
#include <string>

#include "core/base/shortest_text.h"

namespace nnvk {
namespace {

constexpr uint64_t kMaxBytes = std::numeric_limits<uint32_t>::max();

tl::unexpected<Error> bad(const OperandTypeDescription& d, const std::string& rule) {
  return fail(Code::kBadData, operand_type_name(static_cast<OperandType>(d.type)) + " operand: " + rule);
}

// The scales and zero points that a type allows; `free` types allow all.
struct QuantizationRule {
  bool free = false;
  bool positive_scale = false;  // else exactly 0
  int32_t least_zero_point = 0;
  int32_t greatest_zero_point = 0;
};

QuantizationRule quantization_rule(OperandType type) {
  switch (type) {
    case OperandType::kTensorQuant8Asymm:
      return {false, true, 0, 255};
    case OperandType::kTensorQuant8AsymmSigned:
      return {false, true, -128, 127};
    case OperandType::kTensorQuant16Asymm:
      return {false, true, 0, 65535};
    case OperandType::kTensorQuant8Symm:
    case OperandType::kTensorQuant16Symm:
      return {false, true, 0, 0};
    case OperandType::kTensorInt32:  // finish() checks it
    case OperandType::kOemScalar:
    case OperandType::kTensorOemByte:
      return {true, false, 0, 0};
    default:
      return {};
  }
}

Status check_quantization(const OperandTypeDescription& d) {
  const QuantizationRule rule = quantization_rule(static_cast<OperandType>(d.type));
  if (rule.free) return {};
  // Written so that NaN fails.
  if (rule.positive_scale && !(d.scale > 0.0F)) return bad(d, "scale is " + shortest_text(d.scale) + ", it must be above 0");
  if (!rule.positive_scale && !(d.scale == 0.0F)) return bad(d, "scale is " + shortest_text(d.scale) + ", it must be 0");
  if (d.zero_point < rule.least_zero_point || d.zero_point > rule.greatest_zero_point) {
    return bad(d, "zeroPoint is " + std::to_string(d.zero_point) + ", it must be in [" + std::to_string(rule.least_zero_point) +
                      ", " + std::to_string(rule.greatest_zero_point) + "]");
  }
  return {};
}

Shape make_shape(const OperandTypeDescription& d) {
  if (d.dimension_count == 0) return Shape::unknown_rank();
  Shape shape(std::vector<uint32_t>(d.dimensions, d.dimensions + d.dimension_count));
  std::replace(shape.dims.begin(), shape.dims.end(), 0U, kUnknownDimension);
  return shape;
}

}  // namespace

Result<OperandInfo> make_operand_info(const OperandTypeDescription& d, const ExtensionRegistry& extensions) {
  const auto type = static_cast<OperandType>(d.type);
  const bool is_extension = is_extension_type(type);
  const auto extension = is_extension ? extensions.operand_type(d.type) : nullptr;
  if (is_extension && extension == nullptr) return bad(d, "no device offers this extension type");
  if (d.dimensions == nullptr && d.dimension_count != 0) return bad(d, "dimensions is NULL but dimensionCount is not 0");
  if (d.dimensions != nullptr && d.dimension_count == 0) return bad(d, "dimensionCount is 0 but dimensions is not NULL");
  if (!is_extension && !is_known_operand_type(type)) return bad(d, "there is no such type");

  const bool tensor = is_extension ? extension->type.is_tensor : is_tensor_type(type);
  if (!tensor && d.dimension_count != 0) return bad(d, "a scalar has no dimensions, dimensionCount must be 0");
  if (tensor) {
    uint64_t bytes = is_extension ? extension->type.byte_size : element_size(type);
    for (uint32_t i = 0; i < d.dimension_count; ++i) {
      if (d.dimensions[i] != 0) bytes *= d.dimensions[i];
      if (bytes > kMaxBytes) return bad(d, "the dimensions make more than 4294967295 bytes");
    }
  }
  NNVK_TRY(check_quantization(d));

  OperandInfo info;
  info.type = type;
  if (tensor) info.shape = make_shape(d);
  info.scale = d.scale;
  info.zero_point = d.zero_point;
  info.extension = extension;
  return info;
}

bool is_fully_specified(const OperandInfo& info) {
  return !info.is_tensor() || (info.shape.fully_known() && info.shape.rank() > 0);
}

Status check_finished_operand(const OperandInfo& info) {
  if (info.type == OperandType::kTensorInt32 && (!(info.scale >= 0.0F) || info.zero_point != 0)) {
    return fail(Code::kBadData, "TENSOR_INT32 needs scale >= 0 and zeroPoint 0, it has scale " + shortest_text(info.scale) +
                                    " and zeroPoint " + std::to_string(info.zero_point));
  }
  if (info.type == OperandType::kTensorQuant8SymmPerChannel && info.channel_quant == nullptr) {
    return fail(Code::kBadData,
                "TENSOR_QUANT8_SYMM_PER_CHANNEL has no scales; call "
                "ANeuralNetworksModel_setOperandSymmPerChannelQuantParams");
  }
  return {};
}

Result<std::shared_ptr<const ChannelQuant>> make_channel_quant(const OperandInfo& info, uint32_t channel_dim, const float* scales,
                                                               uint32_t scale_count) {
  if ((scales == nullptr) != (scale_count == 0)) {
    return fail(Code::kBadData, "scales and scaleCount do not match: scales is NULL if and only if scaleCount is 0");
  }
  if (info.type != OperandType::kTensorQuant8SymmPerChannel) {
    return fail(Code::kBadData,
                "channel scales belong to TENSOR_QUANT8_SYMM_PER_CHANNEL, the operand is " + operand_type_name(info.type));
  }
  if (!info.shape.rank_known || channel_dim >= info.shape.rank()) {
    return fail(Code::kBadData, "channelDim " + std::to_string(channel_dim) + " is not a dimension of " + info.shape.to_string());
  }
  if (scale_count == 0) return fail(Code::kBadData, "there must be at least one scale");
  if (info.shape[channel_dim] == kUnknownDimension || scale_count != info.shape[channel_dim]) {
    return fail(Code::kBadData, "dimension " + std::to_string(channel_dim) + " of " + info.shape.to_string() +
                                    " must be known and needs a scale for each of its elements, but there are " +
                                    std::to_string(scale_count));
  }
  auto quant = std::make_shared<ChannelQuant>();
  quant->channel_dim = channel_dim;
  quant->scales.assign(scales, scales + scale_count);
  for (size_t i = 0; i < quant->scales.size(); ++i) {
    if (!(quant->scales[i] > 0.0F)) {
      return fail(Code::kBadData, "scales[" + std::to_string(i) + "] = " + shortest_text(quant->scales[i]) + " is not above 0");
    }
  }
  return std::shared_ptr<const ChannelQuant>(std::move(quant));
}

}  // namespace nnvk
