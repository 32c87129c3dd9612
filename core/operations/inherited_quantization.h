// Operations of feature levels 1 and 2 that give an intermediate operand the quantization of an input, whatever it declares.
// Later operations and model outputs have to declare it themselves.
#pragma once

#include <optional>

#include "core/operations/operation_code.h"

namespace nnvk {

// The input whose scale and zero point the first output takes; nullopt: outputs are what they declare.
inline std::optional<size_t> quantization_source(OperationCode code) {
  switch (code) {
    case OperationCode::kAveragePool2d:
    case OperationCode::kMaxPool2d:
    case OperationCode::kRelu:
    case OperationCode::kRelu1:
    case OperationCode::kRelu6:
    case OperationCode::kReshape:
    case OperationCode::kResizeBilinear:
    case OperationCode::kSpaceToDepth:
    case OperationCode::kDepthToSpace:
    case OperationCode::kBatchToSpaceNd:
    case OperationCode::kSpaceToBatchNd:
    case OperationCode::kMean:
    case OperationCode::kPad:
    case OperationCode::kSqueeze:
    case OperationCode::kTranspose: return 0;
    case OperationCode::kEmbeddingLookup: return 1;
    case OperationCode::kHashtableLookup: return 2;
    default: return std::nullopt;
  }
}

}  // namespace nnvk
