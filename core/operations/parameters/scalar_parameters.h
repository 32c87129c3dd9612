// Scalars that a decoder cannot do without. Errors: OP_FAILED while the host does not know the value.
#pragma once

#include <cstddef>
#include <cstdint>

#include "core/base/result.h"
#include "core/operations/operation_definition.h"

namespace nnvk {

Result<int32_t> int_parameter(const OperationView& operation, size_t input);
// Of a FLOAT32 or FLOAT16 scalar.
Result<float> float_parameter(const OperationView& operation, size_t input);
// Of a BOOL scalar; false in signatures that are too short to have it.
Result<bool> flag_parameter(const OperationView& operation, size_t input);

}  // namespace nnvk
