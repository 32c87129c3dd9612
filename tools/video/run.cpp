#include "tools/video/run.h"

#include <utility>

#include "tools/nnapi/elapsed_time.h"

namespace nnvk::tools::video {

Result<std::shared_ptr<Slot>> Slot::make(size_t size) {
  TOOLS_ASSIGN(Memfd memfd, Memfd::make("nnvk_results", size, "the results of a network"));
  std::shared_ptr<Slot> slot(new Slot(std::move(memfd)));
  TOOLS_ASSIGN(slot->memory_, slot->memfd_.import());
  return slot;
}

Result<std::shared_ptr<Slot>> SlotPool::take() {
  std::shared_ptr<Slot> slot;
  {
    const std::lock_guard lock(mutex_);
    if (!free_.empty()) {
      slot = std::move(free_.back());
      free_.pop_back();
    }
  }
  if (!slot) {
    TOOLS_ASSIGN(slot, Slot::make(size_));
  }
  Slot* const address = slot.get();
  // The caller's references are counted apart: the last one gives the slot back.
  return std::shared_ptr<Slot>(address, [pool = weak_from_this(), slot = std::move(slot)](Slot*) mutable {
    if (const auto alive = pool.lock()) {
      const std::lock_guard lock(alive->mutex_);
      alive->free_.push_back(std::move(slot));
    }
  });
}

Result<std::shared_ptr<Run>> Run::start(ExecutionHandle execution, std::span<const std::shared_ptr<Run>> after,
                                        std::vector<Owner> owners) {
  std::shared_ptr<Run> run(new Run);
  run->owners_ = std::move(owners);
  run->execution_ = std::move(execution);
  std::vector<const ANeuralNetworksEvent*> events;
  for (const auto& earlier : after) {
    events.push_back(earlier->event());
    run->owners_.push_back(earlier);
  }
  ANeuralNetworksEvent* event = nullptr;
  TOOLS_TRY(check(ANeuralNetworksExecution_startComputeWithDependencies(run->execution_.get(), events.data(),
                                                                        static_cast<uint32_t>(events.size()), 0, &event),
                  "starting the network"));
  run->event_.reset(event);
  return run;
}

Run::~Run() {
  if (event_) (void)wait();
}

Status Run::wait() {
  const std::lock_guard lock(mutex_);
  if (!result_) {
    result_ = check(ANeuralNetworksEvent_wait(event_.get()), "running the network");
    seconds_ = seconds_since(begin_);
    execution_.reset();  // before the network that it belongs to
    owners_.clear();     // frames and slots are free again
  }
  return *result_;
}

}  // namespace nnvk::tools::video
