// Decodes the axes of reductions.
#include "core/operations/parameters/reduction_axes.h"

#include "core/operations/rules/shape_rules.h"

namespace nnvk {

Result<std::vector<bool>> reduced_dimensions(std::span<const int32_t> axes, size_t rank) {
  std::vector<bool> reduced(rank);
  for (const int32_t axis : axes) {
    NNVK_ASSIGN(const uint32_t index, normalize_axis(axis, rank, Code::kOpFailed));
    reduced[index] = true;
  }
  return reduced;
}

}  // namespace nnvk
