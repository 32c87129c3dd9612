// How much one invocation may do in one dispatch.
#pragma once

#include <cstdint>
#include <vector>

#include "shaders/include/slice_steps.h"

namespace nnvk::vulkan {

// Elements that one invocation folds before another dispatch goes on. Software Vulkan (llvmpipe) leaves all loops of an
// invocation, silently, after 65535 iterations in all, where the end of a loop counts as one more; hardware has watchdogs, and
// long invocations keep other work waiting. Kernels may spend up to three iterations on an element.
inline constexpr uint32_t kMostElementsPerInvocation = 16384;

// One dispatch of a fold over slices: elements [begin, end) of each, flags of slice_steps.h.
struct SliceStep {
  uint32_t begin = 0;
  uint32_t end = 0;
  uint32_t flags = 0;
  bool operator==(const SliceStep&) const = default;
};

// The dispatches of the folds `folds` (kStepFoldFirst, kStepFoldSecond or both) over slices of `size` elements, each over at most
// `most`. Short slices take one dispatch for everything. size >= 1.
std::vector<SliceStep> slice_steps(uint32_t size, uint32_t most = kMostElementsPerInvocation, uint32_t folds = kStepFoldFirst);

}  // namespace nnvk::vulkan
