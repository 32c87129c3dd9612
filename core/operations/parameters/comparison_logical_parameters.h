// The operands of LOGICAL_NOT. The family's other operations have the operands of elementwise_binary, without an activation.
#pragma once

#include "core/operations/parameters/elementwise_binary_parameters.h"

namespace nnvk {

namespace logical_not {
enum Input : size_t { kInput };
enum Output : size_t { kOutput };
}  // namespace logical_not

}  // namespace nnvk
