// Decodes LSH_PROJECTION for all devices. Pure.
#pragma once

#include "core/operations/operation_definition.h"
#include "core/operations/parameters/scalar_parameters.h"

namespace nnvk {

namespace lsh_projection {
enum Input : size_t { kHash, kInput, kWeights, kType };
enum Output : size_t { kOutput };
}  // namespace lsh_projection

enum class LshType : int32_t { kSparseDeprecated = 1, kDense = 2, kSparse = 3 };

// The operation has `hashes` * `bits` seeds. Each seed gives one bit, computed from all rows of the input.
struct LshParameters {
  LshType type = LshType::kSparse;
  uint32_t hashes = 0, bits = 0;
  uint32_t rows = 0;
  bool weighted = false;  // a weight per row
};

// Decodes an operation whose shapes are known and which infer() has accepted. OP_FAILED if a scalar is unknown.
inline Result<LshParameters> lsh_projection_parameters(const OperationView& operation) {
  using namespace lsh_projection;
  LshParameters p;
  NNVK_ASSIGN(const int32_t type, int_parameter(operation, kType));
  p.type = static_cast<LshType>(type);
  p.hashes = operation.shape(kHash)[0];
  p.bits = operation.shape(kHash)[1];
  p.rows = operation.shape(kInput)[0];
  p.weighted = operation.has(kWeights);
  return p;
}

}  // namespace nnvk
