// The rows of all families with fast kernels.
#pragma once

#include <memory>
#include <span>

#include "core/operations/family_list.h"
#include "core/operations/operation_enumerators.h"
#include "cpu_fallback/optimized/kernel.h"

namespace nnvk::cpu {

struct OptimizedRow {
  OperationCode code{};
  // Null if there is no fast kernel for this case of the operation.
  std::unique_ptr<OptimizedKernel> (*make)(const KernelNode& node) = nullptr;
};

// Whether a sum or an activation was fused behind the node. Kernels that cannot compute it are not made then.
inline bool has_epilogue(const PlanNode& node) {
  return node.residual != kNoTensor || node.fused_activation != FusedActivation::kNone;
}

// optimized_<family>_kernels(): the rows of a family.
#define NNVK_ROWS(family) std::span<const OptimizedRow> optimized_##family##_kernels();
NNVK_KERNEL_FAMILIES(NNVK_ROWS)
#undef NNVK_ROWS

}  // namespace nnvk::cpu
