// Operands of TOPK_V2. Both outputs say k: it is their last dimension.
#pragma once

#include <cstddef>

namespace nnvk {

namespace topk {
enum Input : size_t { kInput, kK };
enum Output : size_t { kValues, kIndices };
}  // namespace topk

}  // namespace nnvk
