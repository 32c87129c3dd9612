// The invocations of a work group share long folds if these are few; many short folds get one invocation each.
#include "vulkan/kernels/slice_choice.h"

#include <algorithm>

#include "vulkan/kernels/bounded_work.h"

namespace nnvk::vulkan {
namespace {

// With fewer steps, combining the lanes costs more than it saves.
constexpr uint64_t kLeastSteps = 32;
constexpr uint64_t kLeastStepsPerLane = 4;
// Software Vulkan computes eight invocations at a time, and one work group per core on a few cores.
constexpr uint64_t kSoftwareVector = 8;
constexpr uint64_t kSoftwareCores = 2;
constexpr uint64_t kSoftwareGroupSteps = 300;  // extra cost of a work group with barriers, in steps of one vector.
// If lanes got more than `most` steps and the device would be idle, several groups share a fold, and lanes keep at least `least`
// steps. A second dispatch folds the groups' results. On GPUs, this dispatch costs about as much as 24 steps.
struct Shares {
  uint64_t most;
  uint64_t least;
};
constexpr Shares kSoftwareShares = {256, 64};
constexpr Shares kHardwareShares = {48, 16};
// Lanes per strided fold if the form "group_slices" is requested, so that tests cover work groups that share several folds.
constexpr uint32_t kForcedStridedLanes = 16;

bool has_subgroups(const SliceWork& work, const DeviceTraits& traits) {
  return work.subgroups && traits.features.contains(KernelFeature::kSubgroupArithmetic);
}

// Returns enough lanes for `wanted` invocations, as long as each lane has enough steps.
uint32_t lanes_by_occupancy(const SliceWork& work, uint64_t wanted) {
  uint32_t lanes = 1;
  while (lanes < kMostLanes && work.folds * lanes < wanted && work.steps >= uint64_t{2} * lanes * kLeastStepsPerLane) lanes *= 2;
  return lanes;
}

// Returns whether shared folds are faster on software Vulkan. More than kMostLanes folds fill its vectors even without sharing.
bool pays_on_software(const SliceWork& work) {
  if (work.folds > kMostLanes) return false;
  const uint64_t single = (work.folds + kSoftwareVector - 1) / kSoftwareVector * work.steps;  // in one work group
  // Lanes that are far apart in memory need about twice the time per step.
  const uint64_t steps = (work.contiguous ? 1 : 2) * work.steps / kSoftwareVector;
  const uint64_t shared = work.folds * (steps + kSoftwareGroupSteps) / kSoftwareCores;
  return shared < single;
}

}  // namespace

SliceChoice choose_slices(const SliceWork& work, const DeviceTraits& traits) {
  if (traits.forms.contains(KernelForm::kSingleSlices)) return {};
  if (traits.forms.contains(KernelForm::kSubgroupSlices)) return {kMostLanes, has_subgroups(work, traits)};
  if (traits.forms.contains(KernelForm::kGroupSlices)) return {work.contiguous ? kMostLanes : kForcedStridedLanes, false};
  if (traits.is_software()) return pays_on_software(work) ? SliceChoice{kMostLanes, has_subgroups(work, traits)} : SliceChoice{};
  if (work.steps < kLeastSteps) return {};
  // A fold over adjacent elements reads whole cache lines only if neighbouring lanes share it, however many folds there are.
  const uint32_t lanes = work.contiguous ? kMostLanes : lanes_by_occupancy(work, wanted_invocations(traits.machine));
  return {lanes, lanes == kMostLanes && has_subgroups(work, traits)};
}

uint32_t shared_chunk(const SliceWork& work, uint64_t count, uint32_t lanes, const DeviceTraits& traits) {
  // An invocation leaves two loops per row, and leaving a loop counts as an iteration (bounded_work.h).
  const uint64_t iterations_per_row = (work.steps + lanes - 1) / lanes + 2;
  const uint64_t rows = std::max<uint64_t>(1, 3 * kMostElementsPerInvocation / iterations_per_row);
  const uint64_t most = std::min<uint64_t>(uint64_t{lanes} * kMostElementsPerInvocation, rows * work.steps);
  const uint64_t invocations = work.folds * lanes;
  const uint64_t wanted = wanted_invocations(traits.machine);
  const Shares shares = traits.is_software() ? kSoftwareShares : kHardwareShares;
  if (invocations >= wanted || count <= lanes * shares.most) return static_cast<uint32_t>(most);
  const uint64_t spread = (count * invocations + wanted - 1) / wanted;
  return static_cast<uint32_t>(std::min(std::max<uint64_t>(spread, lanes * shares.least), most));
}

}  // namespace nnvk::vulkan
