// The rows of all families with fast kernels.
#pragma once

#include <array>
#include <memory>
#include <span>
#include <utility>

#include "core/operations/family_list.h"
#include "core/operations/operation_enumerators.h"
#include "cpu_fallback/optimized/kernel.h"

namespace nnvk::cpu {

struct OptimizedRow {
  OperationCode code{};
  // Makes the kernel of a node; returns null if there is no fast kernel for this case of the operation.
  std::unique_ptr<OptimizedKernel> (*make)(const KernelNode& node) = nullptr;
  // True if the operation computes halves in float32 and rounds once, so that `make` serves halves too (half_floats.h). Most
  // other operations only move elements; RNNs over sequences round the values that each step passes to the next.
  bool rounds_halves_once = false;
};

// Marks the rows of operations that round halves once.
template <size_t kCount>
constexpr std::array<OptimizedRow, kCount> rounding_halves_once(OptimizedRow (&&list)[kCount]) {
  std::array<OptimizedRow, kCount> rows = std::to_array(std::move(list));
  for (OptimizedRow& row : rows) row.rounds_halves_once = true;
  return rows;
}

// Declares optimized_<family>_kernels(), which returns the rows of a family.
#define NNVK_ROWS(family) std::span<const OptimizedRow> optimized_##family##_kernels();
NNVK_KERNEL_FAMILIES(NNVK_ROWS)
#undef NNVK_ROWS

}  // namespace nnvk::cpu
