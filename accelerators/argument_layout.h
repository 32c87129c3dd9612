// The layout of an execution's arguments for one set of shapes: for each input and output its size, the dimensions for the
// driver, and its place in stand-in memory, which replaces client memory that cannot be shared. Pure.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "accelerators/driver_model.h"
#include "core/plan/resolve.h"

namespace nnvk::accelerators {

struct ArgumentLayout {
  std::vector<uint32_t> dimensions;  // for the driver: NNAPI's, 0 if only the run computes it
  uint64_t size = 0;                 // bytes; for an output of unknown size the upper bound, 0 if there is none
  bool is_exact = false;             // `size` is the final size
  uint64_t offset = 0;               // in the stand-in memory
  uint64_t room = 0;                 // bytes there, from `offset` on
};

struct ArgumentLayouts {
  std::vector<ArgumentLayout> inputs;
  std::vector<ArgumentLayout> outputs;
  uint64_t total = 0;            // bytes of stand-in memory; the first ones serve the unused input (plan_description.h)
  bool has_empty_input = false;  // which no driver can receive
};

// Lays out the arguments of an execution. `preferences`: the driver's preferences for memory. An output of unknown size gets
// `room_when_unknown[i]` bytes.
ArgumentLayouts lay_out_arguments(const Plan& plan, const Resolution& resolution, const CompiledModel& preferences,
                                  std::span<const uint64_t> room_when_unknown);

// Returns the dimensions as NNAPI writes them: 0 for an unknown dimension, an empty list for an unknown rank.
std::vector<uint32_t> nnapi_dimensions(const Shape& shape);
// Returns the shape that a driver computed. If `is_final`, a dimension of 0 means that the tensor is empty, else that the
// dimension is unknown.
Shape computed_shape(const std::vector<uint32_t>& dimensions, const OperandInfo& operand, bool is_final);

}  // namespace nnvk::accelerators
