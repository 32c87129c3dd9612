// Completion of an asynchronous computation, or a foreign sync fence (docs/nnapi/execution.md#events).
#pragma once

#include <memory>
#include <mutex>
#include <optional>

#include "core/base/file_descriptor.h"
#include "core/base/result.h"
#include "core/runtime/descriptor_reactor.h"
#include "core/runtime/fence.h"
#include "core/runtime/software_fence.h"

namespace nnvk {

class CurrentPlace;
class Execution;
struct Dependency;

// The code that an asynchronous computation reports instead of `code` (docs/nnapi/execution.md#result-codes).
Code asynchronous_code(Code code);

class Event {
 public:
  // A signalled event without a computation, for become(). Callers allocate it before they start a computation: a lack of memory
  // afterwards would leave the computation without an event.
  static std::unique_ptr<Event> of_nothing();
  // `done` settles with the result of the computation. For startComputeWithDependencies: the first wait() also ends the
  // computation state of `fenced`. `offers_descriptor`: the client can get a sync fence. `place`: its place in a queue, for
  // dependants. Call it before other threads see the event.
  void become(Fence done, std::shared_ptr<Execution> fenced, bool offers_descriptor,
              std::shared_ptr<const CurrentPlace> place) noexcept;
  // Duplicates the descriptor. BAD_DATA when it is not above 0 or not open.
  static Result<std::unique_ptr<Event>> from_sync_fence(int fd);
  // Waits for the computation, but not for a foreign fence.
  ~Event();
  Event(const Event&) = delete;
  Event& operator=(const Event&) = delete;

  // Blocks; returns the same result every time, to every thread. Sync fences that clients got from this event have settled when
  // it returns.
  Status wait();
  // Waits for the computation, as wait(), but discards the result. Does nothing for a foreign fence.
  void finish() noexcept;
  bool is_foreign() const { return bool(foreign_); }
  // The dependency for an execution that waits for this event; `reactor` watches foreign descriptors. A failed startCompute does
  // not fail its dependants.
  Result<Dependency> dependency(DescriptorReactor& reactor) const;
  // A new descriptor owned by the caller. BAD_DATA if the event has none or nnvk cannot make one.
  Result<int> duplicate_descriptor() const;

 private:
  Event(Fence done, std::shared_ptr<Execution> execution, FileDescriptor foreign, bool offers_descriptor);
  Result<Fence> watch(DescriptorReactor& reactor) const;
  Result<int> duplicate_foreign() const;
  Result<int> duplicate_own() const;

  Fence done_;
  mutable std::mutex mutex_;                   // guards execution_ and the members made on demand
  std::shared_ptr<Execution> execution_;       // fenced computations, until acknowledged
  std::shared_ptr<const CurrentPlace> place_;  // of fenced computations
  bool is_fenced_;
  bool offers_descriptor_;
  const FileDescriptor foreign_;          // empty for computations
  mutable std::optional<Fence> watched_;  // foreign: made for the first dependant
  // Made for the first client that asks: the kernel's fence if the device's driver provides one, else nnvk's own.
  mutable FileDescriptor sync_file_;
  mutable std::shared_ptr<SoftwareFence> software_fence_;
};

}  // namespace nnvk
