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

// Returns true if `tensor` is a temporary that exactly one node input reads: its producer may then be merged with that reader.
bool is_read_once(const Plan& plan, const PlanUses& uses, TensorId tensor);

// Returns true if element type and quantization are equal, so that bytes mean the same values in both tensors.
bool same_encoding(const OperandInfo& a, const OperandInfo& b);

// Returns `rewritten` without the nodes marked in `removed`, or `plan` unchanged if no node is marked.
std::shared_ptr<const Plan> without_nodes(const std::shared_ptr<const Plan>& plan, std::shared_ptr<Plan> rewritten,
                                          const std::vector<bool>& removed);

}  // namespace nnvk
