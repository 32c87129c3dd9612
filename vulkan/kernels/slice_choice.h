// Chooses how many invocations share one fold: the statistics of a slice, a reduced result, a pooling window. Pure.
#pragma once

#include <cstdint>

#include "vulkan/traits/device_traits.h"

namespace nnvk::vulkan {

// Invocations of a work group of the kernels that fold slices (shaders/slice_lanes.glsl).
inline constexpr uint32_t kMostLanes = 64;

// Folds that are computed in one dispatch.
struct SliceWork {
  uint64_t folds = 1;
  uint64_t steps = 1;       // of one fold: elements or quads
  bool contiguous = false;  // the steps of a fold are adjacent in memory; else neighbouring folds are
  bool subgroups = false;   // a kernel with subgroup operations exists
};

struct SliceChoice {
  uint32_t lanes = 1;      // invocations of a work group that share a fold: a power of two up to kMostLanes
  bool subgroups = false;  // lanes combine their results with subgroup operations; then `lanes` is kMostLanes
  uint64_t invocations(uint64_t folds) const { return folds * lanes; }
  bool operator==(const SliceChoice&) const = default;
};

SliceChoice choose_slices(const SliceWork& work, const DeviceTraits& traits);

// Returns how many steps of a fold `lanes` > 1 invocations take together; other invocations take the next steps. The result
// limits the loops of an invocation, and divides long folds further if the device would be idle. `count`: steps of a whole fold,
// in rows of work.steps.
uint32_t shared_chunk(const SliceWork& work, uint64_t count, uint32_t lanes, const DeviceTraits& traits);

}  // namespace nnvk::vulkan
