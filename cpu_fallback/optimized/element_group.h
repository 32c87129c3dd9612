// One kernel for several element-wise nodes: it computes a block of every node before it goes on to the next block, so that what
// one node passes to the next stays in the nearest cache.
#pragma once

#include <memory>
#include <vector>

#include "cpu_fallback/optimized/arrays/broadcast_blocks.h"
#include "cpu_fallback/optimized/kernel.h"

namespace nnvk::cpu {

// A tensor from outside that a group reads. Its shape broadcasts to the group's shape.
struct GroupInput {
  Shape shape;
  size_t width = 1;  // bytes of an element
};

// An operand of a member: the result of member `index`, or input `index` of the group.
struct GroupOperand {
  bool is_member = false;
  size_t index = 0;
};

struct GroupMember {
  std::shared_ptr<const OptimizedKernel> kernel;  // has an element_loop()
  std::vector<GroupOperand> operands;             // those that the loop reads; members among them come earlier
  size_t width = 1;                               // bytes of an element of the result
  bool is_output = false;                         // others read the result: it is the group's next output
  size_t buffer = 0;                              // else where it is held, below kMostHeldResults
};

// The most results of members that a group holds for later members at any time.
inline constexpr size_t kMostHeldResults = 6;

// Makes the kernel of a group. All members have results of shape `shape`. The kernel's inputs are `inputs`, its outputs are the
// results of the members that are outputs, in this order. No buffer gets another result before the last member that reads it.
// Returns null if more than BroadcastBlocks::kMostOperands inputs have several elements, or if the inputs' shapes differ in too
// many dimensions.
std::unique_ptr<OptimizedKernel> make_element_group(const Shape& shape, std::vector<GroupInput> inputs,
                                                    std::vector<GroupMember> members);

}  // namespace nnvk::cpu
