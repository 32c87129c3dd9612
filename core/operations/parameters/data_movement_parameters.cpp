// Decodes the permutation of TRANSPOSE and the value of FILL.
#include "core/operations/parameters/data_movement_parameters.h"

#include "core/operations/parameters/scalar_parameters.h"

namespace nnvk {

Result<std::vector<uint32_t>> transpose_permutation(const OperationView& operation) {
  const size_t rank = operation.shape(transpose::kInput).rank();
  if (!operation.has(transpose::kPermutation)) {
    if (rank != 2) {
      return fail(Code::kOpFailed, "perm may only be omitted for a matrix, the input has rank " + std::to_string(rank));
    }
    return std::vector<uint32_t>{1, 0};
  }
  NNVK_ASSIGN(const auto perm, list_parameter(operation, transpose::kPermutation, rank));
  std::vector<uint32_t> permutation(rank);
  std::vector<bool> seen(rank);
  for (size_t i = 0; i < rank; ++i) {
    const int32_t axis = perm[i];
    if (axis < 0 || static_cast<size_t>(axis) >= rank || seen[static_cast<size_t>(axis)]) {
      return fail(Code::kOpFailed, "perm[" + std::to_string(i) + "] = " + std::to_string(axis) + " is repeated or outside [0, " +
                                       std::to_string(rank) + ")");
    }
    seen[static_cast<size_t>(axis)] = true;
    permutation[i] = static_cast<uint32_t>(axis);
  }
  return permutation;
}

Result<int32_t> fill_element(const OperationView& operation) { return element_parameter(operation, fill::kValue); }

}  // namespace nnvk
