// The largest elements of rows, for TOPK_V2.
#pragma once

#include <cstddef>
#include <cstdint>

#include "core/model/operand.h"

namespace nnvk::cpu {

// Finds the `count` largest elements of one row: larger ones first, and of equal ones the later first. sort_key() orders floats.
struct LargestElements {
  OperandType type{};  // any float or integer tensor of up to 32 bits
  const std::byte* row = nullptr;
  size_t size = 0;
  size_t count = 0;            // at most `size`
  uint64_t* found = nullptr;   // `count` of them, for the search
  int32_t* indices = nullptr;  // the result
};
void find_largest(const LargestElements& search);

}  // namespace nnvk::cpu
