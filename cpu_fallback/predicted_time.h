// How long the reference kernels take. Pure.
#pragma once

#include "core/operations/operation_definition.h"

namespace nnvk::cpu {

// Time of the reference kernels on one core of ordinary speed, good for comparing placements.
double predicted_seconds(const OperationView& operation);

}  // namespace nnvk::cpu
