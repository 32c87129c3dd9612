// One run of a recording, from its start to its end.
#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <span>
#include <vector>

#include "core/base/deadline.h"
#include "core/base/result.h"
#include "vulkan/queue/queue_sync.h"
#include "vulkan/recording/recording.h"
#include "vulkan/recording/run_times.h"

namespace nnvk::vulkan {

struct RunOptions {
  Measure measure = Measure::kNothing;
  int32_t priority = 100;  // ANEURALNETWORKS_PRIORITY_*
  // The run fails with MISSED_DEADLINE_PERSISTENT if the deadline passes before it starts, and with _TRANSIENT if it passes
  // later.
  Deadline deadline;
  // The runs on which this one depends (Request::behind). `duration`: a time limit from the end of all of them; 0: none.
  std::vector<std::shared_ptr<const QueuePosition>> behind = {};
  std::chrono::nanoseconds duration{0};
  std::vector<std::shared_ptr<const SyncFilePlace>> sync_files = {};  // kernel fences that the device waits for
};

// The host's part of one run. A run calls the functions in their order, each at most once, and `done` in any case. Without `fill`
// and `drain` the host has no work. Several such runs may then share a slot, and wait for each other only on the device.
struct RunHooks {
  std::vector<IoPlace> places;                                 // inputs, then outputs; empty: all in the slot, for fill and drain
  std::function<void(std::span<std::byte> io)> fill;           // before submission: writes the inputs
  std::function<Status(std::span<const std::byte> io)> drain;  // after success: reads the outputs; its error becomes the run's
  std::function<void(const Status& result, const RunTimes& times)> done;
};

// Starts a run if a slot is free; otherwise the run starts when another run releases its slot. Never waits for the device.
// `hooks.done` gets the result or error, possibly within this call; only std::bad_alloc is thrown. Pass the returned position to
// runs that depend on this one.
std::shared_ptr<const QueuePosition> start_run(std::shared_ptr<Recording> recording, const RunOptions& options, RunHooks hooks);

// Submits a run as one submission that waits for `sync.waits` and signals `sync.signals`. On return, the driver has the run,
// before all waiting work. Calls `hooks.done` unless it fails. RESOURCE_EXHAUSTED_TRANSIENT if Slots::kMost runs are in progress
// and none ends within a moment.
Result<std::shared_ptr<const QueuePosition>> start_run_at_once(std::shared_ptr<Recording> recording, const RunOptions& options,
                                                               RunHooks hooks, const QueueSync& sync);

}  // namespace nnvk::vulkan
