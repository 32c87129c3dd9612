// Decides which operations impose scale and zero point on an intermediate result.
#include "core/operations/rules/imposed_quantization.h"

#include "core/operations/operation_enumerators.h"

namespace nnvk {
namespace {

using Imposed = std::optional<ImposedQuantization>;

constexpr ImposedQuantization kBoxes{0.125F, 0};

// Returns fixed values for 8-bit tensors, whose zero point depends on the sign of the type.
Imposed fixed(OperandType type, float scale, int32_t unsigned_zero_point) {
  if (!is_quant8_asymm(type)) return std::nullopt;
  const int32_t shift = type == OperandType::kTensorQuant8Asymm ? 0 : 128;
  return ImposedQuantization{scale, unsigned_zero_point - shift};
}

Imposed boxes(OperandType type) { return type == OperandType::kTensorQuant16Asymm ? Imposed(kBoxes) : std::nullopt; }

}  // namespace

std::optional<ImposedQuantization> imposed_quantization(OperationCode code, size_t output, OperandType type,
                                                        std::span<const OperandInfo* const> inputs) {
  const auto of_input = [&](size_t i) -> Imposed {
    if (i >= inputs.size() || inputs[i]->type != type || inputs[i]->scale == 0.0F) return std::nullopt;
    return ImposedQuantization{inputs[i]->scale, inputs[i]->zero_point};
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
      return is_quant8_asymm(type) ? of_input(0) : std::nullopt;
    case OperationCode::kEmbeddingLookup:
      return is_quant8_asymm(type) ? of_input(1) : std::nullopt;
    case OperationCode::kHashtableLookup:
      if (!is_quant8_asymm(type)) return std::nullopt;
      return output == 0 ? of_input(2) : ImposedQuantization{1.0F, 0};
    case OperationCode::kL2Normalization:
    case OperationCode::kTanh:
      return fixed(type, 1.0F / 128, 128);
    case OperationCode::kLogistic:
      return fixed(type, 1.0F / 256, 0);
    case OperationCode::kBoxWithNmsLimit:
    case OperationCode::kGenerateProposals:
      return output == 0 ? of_input(0) : boxes(type);
    case OperationCode::kAxisAlignedBboxTransform:
      return boxes(type);
    case OperationCode::kHeatmapMaxKeypoint:
      return output == 1 ? boxes(type) : std::nullopt;
    case OperationCode::kQuantized16bitLstm:
      return of_input(output == 0 ? 13 : 14);
    default:
      return std::nullopt;
  }
}

}  // namespace nnvk
