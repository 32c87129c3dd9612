// Completion of an asynchronous computation, or a foreign sync fence (api.md section 6).
#pragma once

#include <memory>
#include <mutex>

#include "core/base/result.h"
#include "core/runtime/fence.h"

namespace nnvk {

class Execution;

// The code that an asynchronous computation reports instead of `code` (api.md 4.2).
Code asynchronous_code(Code code);

class Event {
 public:
  // For startCompute: `done` settles with the result of the computation.
  static std::unique_ptr<Event> of_computation(Fence done);
  // For startComputeWithDependencies: the first wait() also ends the execution's computation state.
  static std::unique_ptr<Event> of_fenced_computation(Fence done, std::shared_ptr<Execution> execution);
  // Duplicates the descriptor. BAD_DATA when it is not above 0 or not open.
  static Result<std::unique_ptr<Event>> from_sync_fence(int fd);
  // Waits.
  ~Event();
  Event(const Event&) = delete;
  Event& operator=(const Event&) = delete;

  // Blocks; returns the same result every time, to every thread.
  Status wait();
  // Waits for a foreign descriptor: OP_FAILED when it ended in an error.
  Status wait_for_descriptor() const;
  bool is_foreign() const { return fd_ >= 0; }
  // What a dependent execution waits for (not for foreign descriptors). A failed startCompute does not fail its dependants.
  Fence dependency() const;
  // A new descriptor owned by the caller. BAD_DATA when the event has none.
  Result<int> duplicate_descriptor() const;

 private:
  Event(Fence done, std::shared_ptr<Execution> execution, int fd);

  Fence done_;
  std::mutex mutex_;
  std::shared_ptr<Execution> execution_;  // fenced computations, until acknowledged
  bool is_fenced_ = false;
  int fd_ = -1;
};

}  // namespace nnvk
