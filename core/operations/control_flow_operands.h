// Operands of IF and WHILE; from kFirstValue on they are handed to the referenced models.
#pragma once

#include <cstddef>

namespace nnvk {

namespace if_operation {
enum Input : size_t { kCondition, kThenModel, kElseModel, kFirstValue };
}  // namespace if_operation

namespace while_operation {
enum Input : size_t { kConditionModel, kBodyModel, kFirstValue };
}  // namespace while_operation

}  // namespace nnvk
