// Who reads a tensor of a plan: for nodes that an execution runs as one. Pure.
#pragma once

#include <algorithm>
#include <span>
#include <vector>

#include "core/plan/plan.h"

namespace nnvk::cpu {

class PlanReaders {
 public:
  // `nodes`: the indexes of the nodes that an execution runs.
  PlanReaders(const Plan& plan, std::span<const size_t> nodes) : readers_(plan.tensors.size()), is_shared_(plan.tensors.size()) {
    for (const size_t n : nodes) {
      for (const TensorId id : plan.nodes[n].inputs) readers_[id].push_back(n);
      if (plan.nodes[n].residual != kNoTensor) readers_[plan.nodes[n].residual].push_back(n);
    }
    for (const TensorId id : plan.outputs) is_shared_[id] = true;
    for (TensorId id = 0; id < plan.tensors.size(); ++id) {
      if (plan.tensors[id].role != TensorRole::kTemporary) is_shared_[id] = true;
      // Views share bytes with others.
      if (plan.tensors[id].view_of != kNoTensor) is_shared_[id] = is_shared_[plan.tensors[id].view_of] = true;
    }
  }

  // Returns whether nothing but the nodes `some`, ascending, can read the bytes of `id`.
  bool are_only(std::span<const size_t> some, TensorId id) const {
    return !is_shared_[id] && std::ranges::all_of(readers_[id], [&](size_t n) { return std::ranges::binary_search(some, n); });
  }

 private:
  std::vector<std::vector<size_t>> readers_;
  std::vector<bool> is_shared_;  // others than the nodes may read it
};

}  // namespace nnvk::cpu
