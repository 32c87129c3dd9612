// Who writes and who reads each tensor of a plan. Shared by the rewrites.
#pragma once

#include <cstdint>
#include <vector>

#include "core/plan/plan.h"

namespace nnvk {

inline constexpr uint32_t kNoNode = UINT32_MAX;

struct PlanUses {
  std::vector<uint32_t> producer;  // per tensor: index of the node that writes it, or kNoNode
  std::vector<uint32_t> readers;   // per tensor: how many node inputs (and residuals) read it; a plan output counts once more
};

PlanUses find_uses(const Plan& plan);

// True when `tensor` is a temporary that exactly one node input reads, so that its producer may be merged with that reader.
bool is_read_once(const Plan& plan, const PlanUses& uses, TensorId tensor);

// Same element type and quantization: values mean the same in both.
bool same_encoding(const OperandInfo& a, const OperandInfo& b);

// Removes the nodes marked in `removed`, keeping the order of the others.
void erase_nodes(Plan& plan, const std::vector<bool>& removed);

}  // namespace nnvk
