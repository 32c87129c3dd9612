// Writes a program's dispatches, the barriers between their levels, and timestamps into a command buffer.
#pragma once

#include <volk.h>

#include <cstddef>
#include <span>

#include "vulkan/queue/command_pool.h"
#include "vulkan/recording/dispatch_program.h"
#include "vulkan/recording/pipelines.h"
#include "vulkan/recording/run_times.h"

namespace nnvk::vulkan {

// The measurement of a run, and the query pool for its timestamps.
struct Queries {
  Measure measure = Measure::kNothing;
  VkQueryPool pool = VK_NULL_HANDLE;  // null for kNothing
};

// The dispatches of one submission, its index in the run, and the run's measurement.
struct DispatchRange {
  size_t begin = 0;
  size_t end = 0;
  size_t submission = 0;
  Queries queries{};
};

// Returns how many timestamps a run with `measure` writes at most, however it is cut.
size_t timestamp_capacity(const DispatchProgram& program, Measure measure);

// Records the dispatches of the range, with a barrier between levels. Ranges run in order on one queue. `sets`: one per dispatch
// of the program. The pool in range.queries has timestamp_capacity() entries, in the order that run_times.h defines. The commands
// of submission 0 reset the pool.
void record_dispatches(const Context& context, VkCommandBuffer commands, const RunnableProgram& runnable,
                       std::span<const VkDescriptorSet> sets, const DispatchRange& range);

}  // namespace nnvk::vulkan
