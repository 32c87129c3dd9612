#include "vulkan/kernels/bounded_work.h"

#include <algorithm>

namespace nnvk::vulkan {

std::vector<SliceStep> slice_steps(uint32_t size, uint32_t most, uint32_t folds) {
  if (size <= most) return {{0, size, folds | kStepStart | kStepFinish}};
  std::vector<SliceStep> steps;
  for (const uint32_t fold : {kStepFoldFirst, kStepFoldSecond}) {
    if ((folds & fold) == 0) continue;
    for (uint64_t begin = 0; begin < size; begin += most) {
      steps.push_back({static_cast<uint32_t>(begin), static_cast<uint32_t>(std::min<uint64_t>(begin + most, size)), fold});
    }
  }
  steps.front().flags |= kStepStart;
  steps.back().flags |= kStepFinish;
  return steps;
}

}  // namespace nnvk::vulkan
