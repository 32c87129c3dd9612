// Converts float32 results of recurrent layers to outputs of the operation.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <span>

#include "vulkan/kernels/kernel_emitter.h"

namespace nnvk::vulkan {

// The tensor for one direction's results of all steps: rows of `width` float32 elements, without gaps.
struct Sequence {
  TensorId tensor = kNoTensor;
  uint32_t width = 0;
};

// Writes the rows of `a` and `b` (may be empty) side by side to output `output` of the node, in that output's type.
Status emit_join(const EmitContext& context, size_t output, const Sequence& a, const Sequence& b);

// An output of the node that a direction writes, and its elements per step and batch.
struct DirectionOutput {
  size_t output = 0;
  uint32_t width = 0;
};

// Emits the directions of a layer one after the other: `emit` computes direction i into the given sequence, of `rows` (steps
// times batches). Then writes the node's outputs from the results; it joins two directions that have the same output.
Status emit_directions(const EmitContext& context, std::span<const DirectionOutput> directions, uint64_t rows,
                       const std::function<Status(size_t, const Sequence&)>& emit);

}  // namespace nnvk::vulkan
