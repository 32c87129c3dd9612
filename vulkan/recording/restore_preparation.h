// Stores a prepared plan in a compilation cache and restores it. Both functions wait for the device; do not call them on the
// completion thread.
#pragma once

#include <cstddef>
#include <memory>
#include <vector>

#include "core/base/deadline.h"
#include "core/base/result.h"
#include "vulkan/recording/constant_store.h"
#include "vulkan/recording/gpu.h"
#include "vulkan/recording/kept_preparation.h"
#include "vulkan/recording/recording.h"

namespace nnvk::vulkan {

// The owner and the deadline of a preparation. If the deadline passes, the functions return MISSED_DEADLINE_TRANSIENT, but the
// device's work may continue.
struct PreparationOwner {
  std::shared_ptr<const void> store;  // keeps the constants alive
  Deadline deadline = {};
};

// Gives the driver its stored pipeline cache and puts packed weights into `store`, so that recordings built with it pack nothing.
Status restore_preparation(const KeptPreparation& kept, Gpu& gpu, ConstantStore& store, Activity& activity,
                           const PreparationOwner& owner);

// Returns the data that restore_preparation() needs later: pipelines of `recording` (null: none was built) and the packed weights
// of `store`, read back from the device. Packing must have completed.
Result<std::vector<std::byte>> keep_preparation(Gpu& gpu, const Recording* recording, const ConstantStore& store,
                                                Activity& activity, const PreparationOwner& owner);

}  // namespace nnvk::vulkan
