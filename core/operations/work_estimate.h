// The amount of work of one node, from shapes alone, for devices' predictions and for profiles. Pure.
#pragma once

#include "core/operations/operation_definition.h"

namespace nnvk {

struct Work {
  uint64_t multiply_adds = 0;  // convolutions, matrix products and recurrent layers; 0 for other operations
  uint64_t elements = 0;       // of all inputs and outputs
  uint64_t bytes = 0;          // read and written
};

// Unknown dimensions count as 1.
Work estimate_work(const OperationView& operation);

}  // namespace nnvk
