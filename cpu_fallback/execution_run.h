// One execution of a plan on the CPU, node by node. Uses no threads and no fences.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <vector>

#include "core/plan/plan.h"
#include "core/runtime/device.h"

namespace nnvk::cpu {

// Data that all executions of a plan share. Immutable once prepared.
struct PreparedNodes {
  std::shared_ptr<const Plan> plan;
  // Per node: the storage tensors that no later node needs (temporaries only).
  std::vector<std::vector<TensorId>> last_used_by;
  // Per tensor: bytes of a constant, copied if the client's address is not aligned for its element type.
  std::vector<std::span<const std::byte>> constants;
  std::vector<std::vector<std::byte>> aligned_copies;
  // Per storage tensor: whether an operation reads it.
  std::vector<uint8_t> is_read;
};

// OP_FAILED naming the first operation the CPU device does not run.
Result<PreparedNodes> prepare_nodes(std::shared_ptr<const Plan> plan);

// The numbers that one execution adds to the plan's totals.
struct RunCounts {
  uint64_t bytes_copied_in = 0;   // misaligned inputs
  uint64_t bytes_copied_out = 0;  // outputs that could not be written in place
  uint64_t temporary_allocations = 0;
};

// Runs everything on the calling thread. Never throws. Uses the bindings' memory in place. A deadline that passed before the
// start gives MISSED_DEADLINE_PERSISTENT, one noticed between two nodes MISSED_DEADLINE_TRANSIENT. An output buffer that is too
// small gives OUTPUT_INSUFFICIENT_SIZE; the run continues in memory of its own, so that it can report all shapes.
ExecutionReport run_nodes(const PreparedNodes& prepared, const Request& request, RunCounts& counts);

}  // namespace nnvk::cpu
