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

// What output `output`, of type `type`, gets as an intermediate operand: "an intermediate operand is silently given input 0's
// values", or the specification asks certain values of a model output only. nullopt where the declared values count: other
// operations, and tensors without a scale. A model output never gets them; there a difference is an error of the operation.
std::optional<ImposedQuantization> imposed_quantization(OperationCode code, size_t output, OperandType type,
                                                        std::span<const OperandInfo* const> inputs);

}  // namespace nnvk
