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
};

// Returns the scale and zero point of output `output`, of type `type`, if it is an intermediate result: those of input 0, or
// fixed ones. Returns nullopt if the declared values apply, that is, for other operations and for tensors without a scale. Model
// outputs always keep their declared values; if these differ, the operation fails.
std::optional<ImposedQuantization> imposed_quantization(OperationCode code, size_t output, OperandType type,
                                                        std::span<const OperandInfo* const> inputs);

}  // namespace nnvk
