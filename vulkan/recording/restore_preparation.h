// Between a prepared plan on the device and what a compilation cache keeps of it. Both functions wait for the device; not for the
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

// Whose preparation it is. Work of the device may go on when the deadline ends the wait for it: MISSED_DEADLINE_TRANSIENT.
struct PreparationOwner {
  std::shared_ptr<const void> store;  // keeps the constants
  Deadline deadline = {};
};

// Hands the driver its own cache and puts packed weights into `store`, so that recordings built with it pack nothing.
Status restore_preparation(const KeptPreparation& kept, Gpu& gpu, ConstantStore& store, Activity& activity,
                           const PreparationOwner& owner);

// What restore_preparation() needs to spare the work again: pipelines of `recording` (null: none was built) and the packed
// weights of `store`, read back from the device. Packing must have completed.
Result<std::vector<std::byte>> keep_preparation(Gpu& gpu, const Recording* recording, const ConstantStore& store,
                                                Activity& activity, const PreparationOwner& owner);

}  // namespace nnvk::vulkan
