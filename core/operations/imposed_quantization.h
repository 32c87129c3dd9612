// Scale and zero point that an operation gives an intermediate result, whatever the model declares for it.
#pragma once

#include <optional>
#include <span>

#include "core/model/operand.h"
#include "core/operations/operation_code.h"

namespace nnvk {

struct Quantization {
  float scale = 0.0F;
  int32_t zero_point = 0;
};

// What output 0 of `code`, of type `output`, is given when it is an intermediate operand of the model: that of an input, or the one
// quantization the operation knows. nullopt: the declaration counts (other operations, types that are not 8 bits wide). Model outputs
// have to be declared right instead; shape inference checks that. Source: the constraints of these operations ("an intermediate
// operand is silently given ...").
std::optional<Quantization> imposed_quantization(OperationCode code, std::span<const OperandInfo* const> inputs, OperandType output);

}  // namespace nnvk
