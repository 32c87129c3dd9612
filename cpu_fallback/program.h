// A plan prepared for one set of shapes on the CPU: a kernel for every node, and a place for every tensor. Immutable, so that
// many executions can run it at once (program_run.h). Pure except for packing weights.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <vector>

#include "core/plan/resolve.h"
#include "cpu_fallback/optimized/kernel.h"
#include "cpu_fallback/optimized/packed_constants.h"

namespace nnvk::cpu {

// The place of a tensor's bytes during an execution.
struct Place {
  enum class Kind : uint8_t { kNothing, kConstant, kInput, kOutput, kArena };
  Kind kind = Kind::kNothing;
  uint32_t index = 0;                   // of the plan's input or output
  size_t offset = 0;                    // in the arena
  const std::byte* constant = nullptr;  // not null if kind is kConstant
};

// One node to run, or several that one kernel runs. Views, and nodes whose results the resolution already has, need no step.
struct Step {
  size_t node = 0;                                // index in Plan::nodes; the last one of several
  std::shared_ptr<const OptimizedKernel> kernel;  // null: the reference kernel
  std::vector<Place> inputs;
  std::vector<Place> outputs;
  Place residual;
  std::vector<uint32_t> merged_operations;  // of the model: those of other nodes that the kernel computes as well
};

struct Program {
  std::shared_ptr<const Plan> plan;
  Resolution resolution;
  std::vector<Step> steps;
  std::vector<Place> outputs;  // final place of each plan output's bytes
  size_t arena_bytes = 0;      // tensors, then the scratch memory that steps share
  size_t scratch_offset = 0;
  std::vector<std::vector<std::byte>> made_constants;  // aligned or put in order; the plan has them otherwise
};

// Returns whether every tensor has a size, no size depends on data, and the host knows every parameter. Returns false if the
// execution computes a parameter itself (even one that is a plan output): run_nodes() then checks it during the run.
bool has_fixed_sizes(const Plan& plan, const Resolution& resolution);

// Makes the program of a plan; requires has_fixed_sizes(). `packed`: per node, the constants packed by the plan's other programs;
// null: use no fast kernels. Errors: OUT_OF_MEMORY when the arena cannot be planned, those of CheckedNode::check().
Result<std::unique_ptr<const Program>> make_program(std::shared_ptr<const Plan> plan, Resolution resolution,
                                                    std::vector<PackedConstants>* packed);

}  // namespace nnvk::cpu
