// An event: the end of an asynchronous computation, or a foreign sync fence (docs/nnapi/execution.md#events).
#pragma once

#include <memory>
#include <mutex>
#include <optional>
#include <utility>

#include "core/base/file_descriptor.h"
#include "core/base/result.h"
#include "core/runtime/descriptor_reactor.h"
#include "core/runtime/fence.h"
#include "core/runtime/software_fence.h"

namespace nnvk {

class CurrentPlace;
class Execution;
struct Dependency;

// Returns the code that an asynchronous computation reports instead of `code` (docs/nnapi/execution.md#result-codes).
Code asynchronous_code(Code code);

class Event {
 public:
  // Returns a signalled event for become(). Make it before the computation starts: later there may be no memory for an event.
  static std::unique_ptr<Event> of_nothing();
  // Makes this the event of a computation that ends with `done`. Call it before other threads see the event. `fenced`: the
  // execution of startComputeWithDependencies, else null. Its computation state ends at the first wait() or finish(), or when the
  // event is destroyed. `offers_descriptor`: the client can get a sync fence. `place`: the computation's place in a queue, which
  // its dependants need.
  void become(Fence done, std::shared_ptr<Execution> fenced, bool offers_descriptor,
              std::shared_ptr<const CurrentPlace> place) noexcept;
  // Makes an event of a duplicate of the descriptor. BAD_DATA unless the descriptor is above 0 and open.
  static Result<std::unique_ptr<Event>> from_sync_fence(int fd);
  // The destructor waits for the computation, but not for a foreign fence.
  ~Event();
  Event(const Event&) = delete;
  Event& operator=(const Event&) = delete;

  // Blocks until the computation has ended and sync fences that clients got from this event have settled. Returns the same result
  // every time, to every thread.
  Status wait();
  // Waits for the computation, as wait(), but discards the result. Does nothing for a foreign fence.
  void finish() noexcept;
  bool is_foreign() const { return bool(foreign_); }
  // Returns this event as a dependency; `reactor` watches foreign ones. A failed startCompute does not fail its dependants.
  Result<Dependency> dependency(DescriptorReactor& reactor) const;
  // Returns a new descriptor, owned by the caller. BAD_DATA if the event has none or nnvk cannot make one.
  Result<int> duplicate_descriptor() const;

 private:
  explicit Event(FileDescriptor foreign) : offers_descriptor_(bool(foreign)), foreign_(std::move(foreign)) {}
  Result<Fence> watch(DescriptorReactor& reactor) const;
  Result<FileDescriptor> duplicate_own() const;

  Fence done_ = Fence::already_signalled();
  mutable std::mutex mutex_;                   // guards execution_ and the members made on demand
  std::shared_ptr<Execution> execution_;       // fenced computations, until acknowledged
  std::shared_ptr<const CurrentPlace> place_;  // of fenced computations
  bool is_fenced_ = false;
  bool offers_descriptor_;
  const FileDescriptor foreign_;          // empty for computations
  mutable std::optional<Fence> watched_;  // foreign: made for the first dependant
  // nnvk makes it for the first client that asks: the kernel's fence if the device's driver provides one, else nnvk's own.
  mutable FileDescriptor sync_file_;
  mutable std::shared_ptr<SoftwareFence> software_fence_;
};

}  // namespace nnvk
