// Groups of neighbouring element-wise nodes with results of one shape, which one kernel computes block by block
// (optimized/element_group.h). Pure.
#pragma once

#include <functional>
#include <span>
#include <vector>

#include "core/plan/resolve.h"

namespace nnvk::cpu {

struct ElementGroup {
  struct Member {
    size_t node = 0;               // index in Plan::nodes
    std::vector<TensorId> inputs;  // those that the node computes elements from
    TensorId result = kNoTensor;
    bool is_output = false;  // others than later members read the result
    size_t buffer = 0;       // below kMostHeldResults; holds the result, if that is no output, until its last reader
  };
  std::vector<Member> members;   // in the plan's order
  std::vector<TensorId> inputs;  // the tensors from outside, each once
};

// Groups end after so many nodes, because the cost of the search grows with the square of their length.
inline constexpr size_t kMostMembers = 64;

// Returns from how many of its first inputs a node computes each element of its result; 0 if it does not compute element by
// element.
using ElementOperands = std::function<size_t(size_t node)>;

// Finds groups of at least two nodes among `nodes`, the indexes of those that an execution runs, ascending. All nodes of a group
// are neighbours in `nodes`. Each of them but the first reads the result of an earlier one.
std::vector<ElementGroup> find_element_groups(const Plan& plan, const Resolution& resolution, std::span<const size_t> nodes,
                                              const ElementOperands& operands_of);

}  // namespace nnvk::cpu
