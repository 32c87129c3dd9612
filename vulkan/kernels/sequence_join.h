// How float32 results of recurrent layers become outputs of the operation.
#pragma once

#include <cstddef>
#include <cstdint>

#include "core/base/result.h"
#include "vulkan/kernels/dispatch.h"
#include "vulkan/kernels/kernel_emitter.h"

namespace nnvk::vulkan {

// Where the results of all steps of one direction go: rows of `width` float32 elements, all of them its own.
struct Sequence {
  TensorId tensor = kNoTensor;
  uint32_t width = 0;
};

// The rows of `a` and `b` (may be empty) side by side as output `output` of the node, in the type of that output.
Status emit_join(const EmitContext& context, size_t output, const Sequence& a, const Sequence& b, DispatchList& dispatches);

}  // namespace nnvk::vulkan
