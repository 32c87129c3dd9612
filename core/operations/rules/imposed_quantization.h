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

// The quantization of output `output`, of type `type`, as an intermediate operand. Cases: "An intermediate operand is silently
// given input 0's values", or a model output must have certain values. `nullopt` if the declared values apply: other operations,
// and tensors without a scale. A model output never gets these values; there a difference is an error of the operation.
std::optional<ImposedQuantization> imposed_quantization(OperationCode code, size_t output, OperandType type,
                                                        std::span<const OperandInfo* const> inputs);

}  // namespace nnvk
