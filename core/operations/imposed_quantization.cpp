// Which operations impose scale and zero point on an intermediate result.
#include "core/operations/imposed_quantization.h"

namespace nnvk {
namespace {

std::optional<ImposedQuantization> quantization_of(std::span<const OperandInfo* const> inputs, size_t i) {
  if (i >= inputs.size() || !is_quant8_asymm(inputs[i]->type)) return std::nullopt;
  return ImposedQuantization{inputs[i]->scale, inputs[i]->zero_point};
}

}  // namespace

std::optional<ImposedQuantization> imposed_quantization(OperationCode code, std::span<const OperandInfo* const> inputs) {
  const auto fixed = [&](float scale, int32_t unsigned_zero_point, int32_t signed_zero_point) {
    auto imposed = quantization_of(inputs, 0);
    const bool is_unsigned = imposed && inputs[0]->type == OperandType::kTensorQuant8Asymm;
    if (imposed) *imposed = {scale, is_unsigned ? unsigned_zero_point : signed_zero_point};
    return imposed;
  };
  switch (code) {
    case OperationCode::kAveragePool2d:
    case OperationCode::kBatchToSpaceNd:
    case OperationCode::kDepthToSpace:
    case OperationCode::kMaxPool2d:
    case OperationCode::kMean:
    case OperationCode::kPad:
    case OperationCode::kRelu:
    case OperationCode::kRelu1:
    case OperationCode::kRelu6:
    case OperationCode::kReshape:
    case OperationCode::kResizeBilinear:
    case OperationCode::kSpaceToBatchNd:
    case OperationCode::kSpaceToDepth:
    case OperationCode::kSqueeze:
    case OperationCode::kTranspose:
      return quantization_of(inputs, 0);
    case OperationCode::kEmbeddingLookup:
      return quantization_of(inputs, 1);
    case OperationCode::kHashtableLookup:
      return quantization_of(inputs, 2);
    case OperationCode::kL2Normalization:
    case OperationCode::kTanh:
      return fixed(1.0F / 128, 128, 0);
    case OperationCode::kLogistic:
      return fixed(1.0F / 256, 0, -128);
    default:
      return std::nullopt;
  }
}

}  // namespace nnvk
