// The input numbers of IF and WHILE. Both pass the inputs from kFirstValue on to the models that they reference.
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
