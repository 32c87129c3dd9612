// The final shape of an output whose size depends on data.
#pragma once

#include <optional>

#include "core/model/operand.h"

namespace nnvk {

// `agreed`: what the model declares and the inputs imply, possibly with unknown dimensions; `actual`: what the kernel found, of
// the same rank. An actual dimension of 0 leaves a declared one as it is (numerics of BOX_WITH_NMS_LIMIT): the elements are then
// zeros. nullopt when the two contradict each other.
inline std::optional<Shape> settle_data_dependent_shape(const Shape& agreed, const Shape& actual) {
  if (!agreed.rank_known) return actual;
  if (agreed.rank() != actual.rank()) return std::nullopt;
  Shape settled = actual;
  for (size_t d = 0; d < actual.rank(); ++d) {
    if (agreed[d] == kUnknownDimension || agreed[d] == actual[d]) continue;
    if (actual[d] != 0) return std::nullopt;
    settled.dims[d] = agreed[d];
  }
  return settled;
}

}  // namespace nnvk
