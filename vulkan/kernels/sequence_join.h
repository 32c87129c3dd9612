// How float32 results of recurrent layers become outputs of the operation.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <span>

#include "vulkan/kernels/kernel_emitter.h"

namespace nnvk::vulkan {

// Where the results of all steps of one direction go: rows of `width` float32 elements, all of them its own.
struct Sequence {
  TensorId tensor = kNoTensor;
  uint32_t width = 0;
};

// The rows of `a` and `b` (may be empty) side by side as output `output` of the node, in the type of that output.
Status emit_join(const EmitContext& context, size_t output, const Sequence& a, const Sequence& b);

// An output of the node that a direction writes, and its elements per step and batch.
struct DirectionOutput {
  size_t output = 0;
  uint32_t width = 0;
};

// Emits the directions of a layer one after the other and makes the node's outputs of their results: `emit` computes direction i
// into the sequence it is given, `rows` (steps times batches) long. Two directions with the same output are joined there.
Status emit_directions(const EmitContext& context, std::span<const DirectionOutput> directions, uint64_t rows,
                       const std::function<Status(size_t, const Sequence&)>& emit);

}  // namespace nnvk::vulkan
