// Limits the work of one invocation in one dispatch.
#pragma once

#include <cstdint>
#include <vector>

#include "shaders/include/slice_steps.h"

namespace nnvk::vulkan {

// The most elements that one invocation folds before another dispatch continues; kernels use up to three iterations per element.
// On software Vulkan (llvmpipe), an invocation silently leaves all its loops after 65535 iterations in total; leaving a loop
// counts as one more. Hardware has watchdogs, and long invocations delay other work.
inline constexpr uint32_t kMostElementsPerInvocation = 16384;

// One dispatch of a fold over slices: elements [begin, end) of each slice, and flags of slice_steps.h.
struct SliceStep {
  uint32_t begin = 0;
  uint32_t end = 0;
  uint32_t flags = 0;
  bool operator==(const SliceStep&) const = default;
};

// Divides the folds `folds` (kStepFoldFirst, kStepFoldSecond or both) over slices of `size` >= 1 elements into dispatches of at
// most `most` elements each. Short slices need only one dispatch.
std::vector<SliceStep> slice_steps(uint32_t size, uint32_t most = kMostElementsPerInvocation, uint32_t folds = kStepFoldFirst);

}  // namespace nnvk::vulkan
