// How much work one node is, from shapes alone. Pure; used for predictions and profiles.
#pragma once

#include <cstdint>

#include "core/operations/operation_definition.h"

namespace nnvk::cpu {

struct Work {
  uint64_t multiply_adds = 0;  // convolutions, matrix products and recurrent layers; 0 for other operations
  uint64_t elements = 0;       // of all inputs and outputs
  uint64_t bytes = 0;          // read and written
};

// Operands of unknown size count as one element.
Work estimate_work(const OperationView& operation);

// Time of the reference kernels on one core of ordinary speed, good for comparing placements.
double predicted_seconds(const OperationView& operation);

}  // namespace nnvk::cpu
