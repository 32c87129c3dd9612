// Runs one execution of a plan on the CPU, node by node, without threads and fences of its own.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <vector>

#include "core/plan/plan.h"
#include "core/runtime/device.h"

namespace nnvk::cpu {

// The data that all executions of a plan share. Immutable once prepared.
struct PreparedNodes {
  std::shared_ptr<const Plan> plan;
  // Per node: the storage tensors (Plan::storage_of()) that no later node needs (temporaries only).
  std::vector<std::vector<TensorId>> last_used_by;
  // Per tensor: bytes of a constant, copied if the client's address is not aligned for its element type.
  std::vector<std::span<const std::byte>> constants;
  std::vector<std::vector<std::byte>> aligned_copies;
  // Per storage tensor: whether an operation reads it.
  std::vector<uint8_t> is_read;
};

// Prepares the plan's nodes. OP_FAILED if the CPU device does not run all operations; the message names the first one.
Result<PreparedNodes> prepare_nodes(std::shared_ptr<const Plan> plan);

// The numbers that one execution adds to the plan's totals.
struct RunCounts {
  uint64_t bytes_copied_in = 0;   // misaligned inputs
  uint64_t bytes_copied_out = 0;  // outputs that could not be written in place
  uint64_t temporary_allocations = 0;
};

// Runs all nodes on the calling thread, in place in the bindings' memory. Throws only when memory runs out. A deadline that
// passed before the start gives MISSED_DEADLINE_PERSISTENT, one that passes between two nodes MISSED_DEADLINE_TRANSIENT. If an
// output buffer is too small, the run continues in its own memory to report all shapes; its result is
// OUTPUT_INSUFFICIENT_SIZE.
ExecutionReport run_nodes(const PreparedNodes& prepared, const Request& request, RunCounts& counts);

}  // namespace nnvk::cpu
