// The codes of operations (NNAPI OperationCode) and their names.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "core/operations/operation_list.h"

namespace nnvk {

// Same values as ANEURALNETWORKS_* (the api folder asserts the equality). Extension operations have a non-zero high half.
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

inline bool is_extension_operation(OperationCode code) { return (static_cast<uint32_t>(code) >> 16) != 0; }

// "CONV_2D"; "OEM_OPERATION"; "extension operation 0x00010002"; "operation 999" for a code outside all ranges.
std::string operation_name(OperationCode code);

}  // namespace nnvk
