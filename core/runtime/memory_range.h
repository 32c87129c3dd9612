// The range rule of memories that have a size: docs/nnapi/memory.md#ranges.
#pragma once

#include <cstddef>

#include "core/base/result.h"

namespace nnvk {

// BAD_DATA unless [offset, offset + length) lies inside a memory of `size` bytes and says how long it is.
Status check_memory_range(size_t size, size_t offset, size_t length);

}  // namespace nnvk
