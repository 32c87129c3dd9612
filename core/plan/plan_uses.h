// The writers and readers of each tensor of a plan, for the rewrites.
#pragma once

#include "core/plan/plan.h"

namespace nnvk {

inline constexpr uint32_t kNoNode = UINT32_MAX;

struct PlanUses {
  std::vector<uint32_t> producer;  // per tensor: index of the node that writes it, or kNoNode
  std::vector<uint32_t> readers;   // per tensor: how many node inputs (and residuals) read it; a plan output counts once more
};

PlanUses find_uses(const Plan& plan);

// Returns the node that writes `tensor` if it may be merged with the reader: `tensor` is a temporary that exactly one node input
// reads. Else returns kNoNode, also for a view (remove_reshapes): other tensors share its bytes, so the node must keep writing
// them.
uint32_t mergeable_producer(const Plan& plan, const PlanUses& uses, TensorId tensor);

// Returns true if element type and quantization are equal, so that bytes mean the same values in both tensors.
bool same_encoding(const OperandInfo& a, const OperandInfo& b);

// Returns `rewritten` without the nodes marked in `removed`, or `plan` unchanged if no node is marked.
std::shared_ptr<const Plan> without_nodes(const std::shared_ptr<const Plan>& plan, std::shared_ptr<Plan> rewritten,
                                          const std::vector<bool>& removed);

}  // namespace nnvk
