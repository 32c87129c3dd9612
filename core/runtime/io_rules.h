// Rules for binding one input or output of an execution (docs/nnapi/execution.md#inputs-and-outputs): shape overrides and
// lengths. Pure.
#pragma once

#include <cstddef>

#include "core/base/result.h"
#include "core/model/extension_registry.h"
#include "core/model/operand_rules.h"

namespace nnvk {

// The operand of the model with the dimensions of the client's type, which may be null. Uses only the dimensions of that type,
// which must still be legal on its own. `must_be_known`: the shape must be fully known, as for inputs with data. BAD_DATA when a
// rule is broken.
Result<OperandInfo> apply_type(const OperandInfo& model_operand, const OperandTypeDescription* type, bool must_be_known,
                               const ExtensionRegistry& extensions);

// BAD_DATA when `length` bytes do not fit the operand: exactly its size, or at least that with `padding`. Any length is valid for
// shapes that are still open and for OEM_SCALAR.
Status check_length(const OperandInfo& operand, size_t length, bool padding);

}  // namespace nnvk
