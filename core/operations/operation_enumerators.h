// The enumerators of OperationCode, for files that name operations.
#pragma once

#include <cstdint>

#include "core/operations/operation_list.h"

namespace nnvk {

enum class OperationCode : int32_t {
#define NNVK_ENUMERATOR(enumerator, number, name, family) enumerator = number,
  NNVK_OPERATIONS(NNVK_ENUMERATOR)
#undef NNVK_ENUMERATOR
      kOemOperation = 10000,
};

#define NNVK_ONE(enumerator, number, name, family) +1
inline constexpr int32_t kOperationCount =
    0 NNVK_OPERATIONS(NNVK_ONE);  // codes 0 .. kOperationCount-1 are the built-in operations
#undef NNVK_ONE

}  // namespace nnvk
