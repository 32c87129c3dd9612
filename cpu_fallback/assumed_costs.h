// Assumed costs of the CPU devices for processors without measurements. Pure.
#pragma once

#include <cstddef>

#include "core/operations/cost_model.h"

namespace nnvk::cpu {

// The properties of the processor that decide the speed of the fast kernels.
struct ProcessorTraits {
  size_t float_lanes = 4;          // of a vector
  bool has_byte_products = false;  // 8-bit products by dot products of bytes
  unsigned threads = 1;
};

// Returns the costs of the fast kernels on this processor, and of the reference kernels, which use neither vectors nor threads.
CostModel assumed_costs(const ProcessorTraits& processor);
// Returns the costs of the device that has only the reference kernels.
CostModel assumed_reference_costs();

}  // namespace nnvk::cpu
