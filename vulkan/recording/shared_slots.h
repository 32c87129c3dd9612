// Slots that runs share without waiting for each other on the host: barriers in the queue separate them (queue_hazards.h).
#pragma once

#include <cstddef>
#include <memory>
#include <mutex>
#include <span>
#include <vector>

#include "core/base/result.h"
#include "vulkan/recording/slot.h"

namespace nnvk::vulkan {

// Thread-safe.
class SharedSlots {
 public:
  // `blueprint` must outlive this.
  explicit SharedSlots(const SlotBlueprint& blueprint) : blueprint_(blueprint) {}

  // The commands of a run with these places. Prefers a slot that has already recorded them, else takes the slots in turn: runs in
  // different slots may overlap.
  Result<Slot::SharedRun> share(std::span<const IoPlace> places);

 private:
  Result<Slot*> choose(std::span<const IoPlace> places);

  static constexpr size_t kMost = 2;

  const SlotBlueprint& blueprint_;
  std::mutex mutex_;
  std::vector<std::unique_ptr<Slot>> slots_;
  size_t next_ = 0;
};

}  // namespace nnvk::vulkan
