// Runs one plan node with the reference kernels: the kernel, then what rewrites have fused behind it. What is reported of a node.
#pragma once

#include <span>

#include "core/plan/plan.h"
#include "core/runtime/device.h"
#include "cpu_fallback/reference/kernel.h"

namespace nnvk::cpu {

// Null when the CPU device runs the node; else the reason why not, for placement and errors.
const char* reason_not_supported(const PlanNode& node);

// Inputs of `operation` have their bytes; `outputs` have final shapes and room for at least their bytes (they are cut to exactly
// that).
// `residual`: bytes of PlanNode::residual, empty without one. A node whose outputs are all empty does nothing.
Status run_node(const PlanNode& node, const CheckedOperation& operation, std::span<OutputTensor> outputs,
                std::span<const std::byte> residual);

inline constexpr const char* kReferenceKernelName = "reference";  // in profiles

// `kernel`: the name of what ran it; views run nowhere.
NodeProfile profile_of(const PlanNode& node, const OperationView& operation, const char* kernel, uint64_t nanoseconds);

}  // namespace nnvk::cpu
