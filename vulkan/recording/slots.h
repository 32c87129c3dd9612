// The slots of one recording. A run has a slot of its own, or shares one: barriers in the queue (queue_hazards.h) then separate
// the runs of a slot, so that they do not wait for each other on the host.
#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <mutex>
#include <optional>
#include <span>
#include <vector>

#include "core/base/result.h"
#include "vulkan/recording/slot.h"
#include "vulkan/recording/slot_schedule.h"

namespace nnvk::vulkan {

// The slots of a recording, and the schedule that gives them to runs. The object is thread-safe.
class Slots {
 public:
  static constexpr uint32_t kMost = 4;  // without shared ones

  // `blueprint` must outlive this.
  explicit Slots(const SlotBlueprint& blueprint) : blueprint_(blueprint), slots_(kMost) {}

  // These functions do the same as those of SlotSchedule. They prefer slots that have recorded commands for these places, then
  // slots that keep commands for the fewest other places.
  void run(SlotSchedule::Work work, std::span<const IoPlace> places) { schedule_.run(std::move(work), fitness_for(places)); }
  std::optional<uint32_t> take(std::span<const IoPlace> places, std::chrono::milliseconds patience) {
    return schedule_.take(fitness_for(places), patience);
  }
  void release(uint32_t index) noexcept { schedule_.release(index); }
  bool withdraw(uint32_t index, SlotSchedule::Work work) { return schedule_.withdraw(index, std::move(work)); }
  // Returns the slot with this number, made on first use.
  Result<Slot*> get(uint32_t index);

  // Returns the commands of a run with these places in a shared slot. Prefers a slot that has already recorded them, else takes
  // the slots in turn, because runs in different slots may overlap.
  Result<Slot::SharedRun> share(std::span<const IoPlace> places);

 private:
  static constexpr size_t kMostShared = 2;

  SlotSchedule::Fitness fitness_for(std::span<const IoPlace> places) const;
  Result<Slot*> choose_shared(std::span<const IoPlace> places);

  const SlotBlueprint& blueprint_;
  SlotSchedule schedule_{kMost};
  std::mutex mutex_;
  std::vector<std::unique_ptr<Slot>> slots_;  // by number; null before first use
  std::mutex shared_mutex_;
  std::vector<std::unique_ptr<Slot>> shared_;
  size_t next_shared_ = 0;
};

}  // namespace nnvk::vulkan
