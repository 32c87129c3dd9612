// What the CPU devices are expected to take on processors that were never measured. Pure.
#pragma once

#include <cstddef>

#include "core/operations/cost_model.h"

namespace nnvk::cpu {

// What decides how fast the fast kernels are.
struct ProcessorTraits {
  size_t float_lanes = 4;          // of a vector
  bool has_byte_products = false;  // 8-bit products by dot products of bytes
  unsigned threads = 1;
};

// The fast kernels' own costs on such a processor, and those of the reference's kernels, which know neither vectors nor threads.
CostModel assumed_costs(const ProcessorTraits& processor);
// For the device that has the reference's kernels alone.
CostModel assumed_reference_costs();

}  // namespace nnvk::cpu
