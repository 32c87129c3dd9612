// The scale and zero point that some operations give an intermediate result, whatever the model declares for it.
#pragma once

#include <optional>
#include <span>

#include "core/model/operand.h"
#include "core/operations/operation_code.h"

namespace nnvk {

struct ImposedQuantization {
  float scale = 0.0F;
  int32_t zero_point = 0;
  bool operator==(const ImposedQuantization&) const = default;
};

// What output 0 of the operation gets as an intermediate operand ("an intermediate operand is silently given input 0's values"
// in the constraints of the specification). nullopt where the declared values count: other operations, and all but
// asymmetric 8-bit tensors. A model output never gets them; there a difference is an error of the operation.
std::optional<ImposedQuantization> imposed_quantization(OperationCode code, std::span<const OperandInfo* const> inputs);

}  // namespace nnvk
