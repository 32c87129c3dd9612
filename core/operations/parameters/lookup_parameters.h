// Operands of GATHER, EMBEDDING_LOOKUP and HASHTABLE_LOOKUP.
#pragma once

#include "core/operations/operation_enumerators.h"
#include "core/operations/parameters/axis_split.h"

namespace nnvk {

namespace lookup {
enum Output : size_t { kOutput };
}  // namespace lookup

namespace gather {
enum Input : size_t { kInput, kAxis, kIndices };
}  // namespace gather

namespace embedding_lookup {
enum Input : size_t { kLookups, kValues };
}  // namespace embedding_lookup

namespace hashtable_lookup {
enum Input : size_t { kLookups, kKeys, kValues };
enum Output : size_t { kOutput, kHits };
}  // namespace hashtable_lookup

// GATHER or EMBEDDING_LOOKUP copies slices of input `values` along `axis`; the numbers in input `indices` select them.
struct GatherParameters {
  size_t values = 0;
  size_t indices = 0;
  uint32_t axis = 0;
};
// Decodes an operation whose values have a known rank. OP_FAILED if the axis is unknown or outside the rank.
inline Result<GatherParameters> gather_parameters(const OperationView& operation) {
  if (operation.code == OperationCode::kEmbeddingLookup) {
    return GatherParameters{embedding_lookup::kValues, embedding_lookup::kLookups, 0};
  }
  NNVK_ASSIGN(const uint32_t axis, axis_parameter(operation, gather::kAxis));
  return GatherParameters{gather::kInput, gather::kIndices, axis};
}

// Returns the error of `index`, the k-th one, which selects none of `size` slices.
inline Error index_outside(size_t k, int32_t index, size_t size) {
  return Error(Code::kOpFailed,
               "index " + std::to_string(k) + " = " + std::to_string(index) + " is outside [0, " + std::to_string(size) + ")");
}

}  // namespace nnvk
