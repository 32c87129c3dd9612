// The axes of MEAN and the REDUCE_* operations, decoded in one place for shape functions, reference kernels and GPU emitters.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "core/base/result.h"

namespace nnvk {

// Which of `rank` dimensions are reduced. Axes may be negative and may repeat; OP_FAILED for one outside [-rank, rank).
Result<std::vector<bool>> reduced_dimensions(std::span<const int32_t> axes, size_t rank);

}  // namespace nnvk
