// Rules for shapes and lengths of one bound input or output (docs/nnapi/execution.md#inputs-and-outputs). Pure.
#pragma once

#include <cstddef>

#include "core/base/result.h"
#include "core/model/extension_registry.h"
#include "core/model/operand_rules.h"

namespace nnvk {

// Returns the model's operand with the dimensions of the client's type, which may be null. Only its dimensions count, but the
// type must be legal. `must_be_known`: the shape must be fully known, as for inputs with data. BAD_DATA if a rule is broken.
Result<OperandInfo> apply_type(const OperandInfo& model_operand, const OperandTypeDescription* type, bool must_be_known,
                               const ExtensionRegistry& extensions);

// Returns BAD_DATA if `length` bytes do not fit the operand: exactly its size, or with `padding` at least that. Any length is
// valid for shapes that are still open and for OEM_SCALAR.
Status check_length(const OperandInfo& operand, size_t length, bool padding);

}  // namespace nnvk
