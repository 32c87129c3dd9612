// Estimates the amount of work of one node from shapes alone, for devices' predictions and for profiles. Pure.
#pragma once

#include "core/operations/operation_definition.h"

namespace nnvk {

struct Work {
  uint64_t multiply_adds = 0;  // convolutions, matrix products and recurrent layers; 0 for other operations
  uint64_t elements = 0;       // of all inputs and outputs
  uint64_t bytes = 0;          // read and written
};

// These functions serve as OperationDefinition::multiply_adds. Unknown dimensions count as 1, as in estimate_work().
uint64_t filter_multiply_adds(const OperationView& operation);      // each result is a product with one filter
uint64_t depthwise_multiply_adds(const OperationView& operation);   // each result is a product with one channel of a filter
uint64_t transposed_multiply_adds(const OperationView& operation);  // each element of the input meets one channel of each filter
uint64_t matrix_multiply_adds(const OperationView& operation);      // each row of the left side meets each column of the right
uint64_t recurrent_multiply_adds(const OperationView& operation);   // each row of the result meets every weight once

Work estimate_work(const OperationView& operation);

// Returns the number of elements; unknown dimensions count as 1.
uint64_t estimate_elements(const OperandInfo& info);

}  // namespace nnvk
