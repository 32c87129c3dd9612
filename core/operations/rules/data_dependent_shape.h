// The final shape of an output that data decides, or that turned out empty.
#pragma once

#include <optional>

#include "core/model/operand.h"

namespace nnvk {

// `agreed`: what the model declares and the inputs imply, possibly with unknown dimensions; `actual`: what the kernel found, of
// the same rank. An actual dimension of 0 leaves a declared one as it is (numerics of BOX_WITH_NMS_LIMIT): the elements are then
// zeros. nullopt when the two contradict each other.
// Operations fed with such a result follow the same rule: "a computed 0 counts as unknown".
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

// What the client hears about an output: as declared where it is empty, else as reported (also of an output that was too small).
inline Shape delivered_shape(const Shape& declared, const Shape& reported) {
  return settle_data_dependent_shape(declared, reported).value_or(reported);
}

}  // namespace nnvk
