#include "vulkan/recording/slots.h"

#include <algorithm>
#include <limits>

namespace nnvk::vulkan {

SlotSchedule::Fitness Slots::fitness_for(std::span<const IoPlace> places) const {
  return [this, places](uint32_t slot) {
    return slots_[slot] != nullptr ? slots_[slot]->fitness(places) : std::numeric_limits<int64_t>::min();
  };
}

Result<Slot*> Slots::get(uint32_t index) {
  const std::lock_guard lock(mutex_);
  if (!slots_[index]) {
    NNVK_ASSIGN(slots_[index], Slot::create(blueprint_));
  }
  return slots_[index].get();
}

// Chooses a shared slot for these places. The caller holds shared_mutex_.
Result<Slot*> Slots::choose_shared(std::span<const IoPlace> places) {
  const auto wired = std::ranges::find_if(shared_, [&](const auto& slot) { return slot->is_wired_for(places); });
  if (wired != shared_.end()) return wired->get();
  // Without temporary tensors, runs do not overwrite each other's arena: one slot is enough.
  const size_t most = blueprint_.program.arena_size > 0 ? kMostShared : 1;
  if (shared_.size() < most) {
    auto made = Slot::create(blueprint_, true);
    if (made) {
      shared_.push_back(std::move(*made));
      return shared_.back().get();
    }
    if (shared_.empty()) return fail(made.error());
  }
  return shared_[next_shared_++ % shared_.size()].get();
}

Result<Slot::SharedRun> Slots::share(std::span<const IoPlace> places) {
  const std::lock_guard lock(shared_mutex_);
  NNVK_ASSIGN(Slot* const slot, choose_shared(places));
  return slot->share(places);
}

}  // namespace nnvk::vulkan
