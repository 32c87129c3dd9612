// Runs one plan node with the reference kernels: the kernel, then the operations fused into it. Also makes a node's profile.
#pragma once

#include <span>

#include "core/plan/plan.h"
#include "core/runtime/device.h"
#include "cpu_fallback/reference/kernel.h"

namespace nnvk::cpu {

// Returns null when the CPU device runs the node; else the reason why not, for placement and errors.
const char* reason_not_supported(const PlanNode& node);

// Runs the node. `operation` must hold its inputs' data, and `outputs` final shapes and enough memory, which run_node() cuts to
// the exact size. `residual`: the data of PlanNode::residual, empty without one. Does nothing if all outputs are empty.
Status run_node(const PlanNode& node, const CheckedOperation& operation, std::span<OutputTensor> outputs,
                std::span<const std::byte> residual);

inline constexpr const char* kReferenceKernelName = "reference";  // in profiles

// Makes the profile of a node. `kernel`: the name of the kernel that ran it; views have none.
NodeProfile profile_of(const PlanNode& node, const OperationView& operation, const char* kernel, uint64_t nanoseconds);

}  // namespace nnvk::cpu
