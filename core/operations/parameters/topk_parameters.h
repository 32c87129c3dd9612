// The operands of TOPK_V2. The last dimension of both outputs is k.
#pragma once

#include <cstddef>

namespace nnvk {

namespace topk {
enum Input : size_t { kInput, kK };
enum Output : size_t { kValues, kIndices };
}  // namespace topk

}  // namespace nnvk
