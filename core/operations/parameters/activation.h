// The activation that many operations apply to their result.
#pragma once

#include <cstdint>

#include "core/base/result.h"
#include "core/operations/operation_definition.h"

namespace nnvk {

// The codes of NNAPI's FuseCode.
enum class FusedActivation : int32_t { kNone = 0, kRelu = 1, kRelu1 = 2, kRelu6 = 3 };

// The FuseCode in scalar `input`, whose value is known. OP_FAILED outside 0..3.
Result<FusedActivation> activation_parameter(const OperationView& operation, size_t input);

}  // namespace nnvk
