// The final shape of an output whose size depends on data, or that turned out empty.
#pragma once

#include <optional>

#include "core/model/operand.h"

namespace nnvk {

// Returns the final shape of an output, or nullopt if the two shapes contradict each other. `agreed`: the shape from the model's
// declaration and the inputs, possibly with unknown dimensions. `actual`: the kernel's result, of the same rank. If an actual
// dimension is 0, a declared one stays, and the elements are zeros (numerics of BOX_WITH_NMS_LIMIT). Readers of such a result
// also take a 0 as unknown.
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

// Returns the output shape that the client sees: as declared if it is empty, else as reported, even if the buffer was too small.
inline Shape delivered_shape(const Shape& declared, const Shape& reported) {
  return settle_data_dependent_shape(declared, reported).value_or(reported);
}

}  // namespace nnvk
