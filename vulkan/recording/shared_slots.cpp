// Choice of the slot.
#include "vulkan/recording/shared_slots.h"

#include <algorithm>

namespace nnvk::vulkan {

Result<Slot*> SharedSlots::choose(std::span<const IoPlace> places) {
  const auto wired = std::ranges::find_if(slots_, [&](const auto& slot) { return slot->is_wired_for(places); });
  if (wired != slots_.end()) return wired->get();
  // Without temporary tensors, runs do not overwrite each other's arena: one slot is enough.
  const size_t most = blueprint_.program.arena_size > 0 ? kMost : 1;
  if (slots_.size() < most) {
    auto made = Slot::create(blueprint_, true);
    if (made) {
      slots_.push_back(std::move(*made));
      return slots_.back().get();
    }
    if (slots_.empty()) return fail(made.error());
  }
  return slots_[next_++ % slots_.size()].get();
}

Result<Slot::SharedRun> SharedSlots::share(std::span<const IoPlace> places) {
  const std::lock_guard lock(mutex_);
  NNVK_ASSIGN(Slot* const slot, choose(places));
  return slot->share(places);
}

}  // namespace nnvk::vulkan
