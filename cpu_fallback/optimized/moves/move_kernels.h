// Kernels that only move elements: strided copies between inputs and outputs, one after the other, each split over the threads.
#pragma once

#include <memory>
#include <vector>

#include "core/operations/parameters/rearrangement.h"
#include "cpu_fallback/optimized/kernel.h"
#include "cpu_fallback/optimized/moves/strided_move.h"

namespace nnvk::cpu {

struct PlacedMove {
  size_t input = 0;
  size_t output = 0;
  StridedMove move;
};

// Makes a kernel of these moves. Returns null if a copy has too many dimensions (StridedMove::is_possible()), or if an operation
// is fused into the node.
std::unique_ptr<OptimizedKernel> move_kernel(const KernelNode& node, std::vector<PlacedMove> moves);

// Returns the move that copies the elements that the walk visits to a dense tensor, one after the other.
StridedMove rearranging_move(const Rearrangement& walk, size_t width);

// Returns the move that copies a dense tensor of this shape. In the target it begins at `start`, and its dimensions have the
// steps `target`.
StridedMove placing_move(const Shape& shape, const std::vector<int64_t>& target, int64_t start, size_t width);

// Makes the kernel of a node whose output has the elements of its first input in the order of the walk. Returns null if `walk` is
// an error.
std::unique_ptr<OptimizedKernel> rearranging_kernel(const KernelNode& node, const Result<Rearrangement>& walk);
// Makes the kernel of a node whose operation rearrangement() describes.
std::unique_ptr<OptimizedKernel> rearrange(const KernelNode& node);

}  // namespace nnvk::cpu
