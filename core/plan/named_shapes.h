// The bindings of executions with shapes that a client has named beforehand (nnvk/shapes.h). Header only.
#pragma once

#include <algorithm>
#include <optional>
#include <span>

#include "core/plan/resolve.h"

namespace nnvk {

// Returns the plan's inputs with these shapes, and its outputs as declared. Returns nullopt if a shape is not fully known, or the
// host needs the value of an input (parameter_inputs()).
inline std::optional<DeclaredBindings> named_bindings(const Plan& plan, std::span<const Shape> inputs) {
  const std::vector<bool> parameters = parameter_inputs(plan);
  if (std::ranges::find(parameters, true) != parameters.end()) return std::nullopt;
  DeclaredBindings named;
  for (const Shape& shape : inputs) {
    if (!shape.fully_known()) return std::nullopt;
    named.inputs.push_back({shape});
  }
  for (const TensorId id : plan.outputs) named.outputs.push_back({plan.tensors[id].info.shape});
  return named;
}

}  // namespace nnvk
