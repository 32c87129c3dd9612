// Which operations overwrite the quantization of intermediate results.
#include "core/operations/imposed_quantization.h"

namespace nnvk {
namespace {

// The input whose quantization the output takes over; nullopt for operations that do no such thing.
std::optional<size_t> source_of_quantization(OperationCode code) {
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
    case OperationCode::kTranspose: return 0;
    case OperationCode::kEmbeddingLookup: return 1;
    case OperationCode::kHashtableLookup: return 2;
    default: return std::nullopt;
  }
}

}  // namespace

std::optional<Quantization> imposed_quantization(OperationCode code, std::span<const OperandInfo* const> inputs, OperandType output) {
  if (!is_quant8_asymm(output)) return std::nullopt;
  const bool is_unsigned = output == OperandType::kTensorQuant8Asymm;
  if (code == OperationCode::kLogistic) return Quantization{1.0F / 256, is_unsigned ? 0 : -128};
  if (code == OperationCode::kTanh || code == OperationCode::kL2Normalization) return Quantization{1.0F / 128, is_unsigned ? 128 : 0};
  const auto source = source_of_quantization(code);
  if (!source || *source >= inputs.size() || inputs[*source]->type != output) return std::nullopt;
  return Quantization{inputs[*source]->scale, inputs[*source]->zero_point};
}

}  // namespace nnvk
