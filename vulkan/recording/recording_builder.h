// Walks a plan with resolved shapes, lets the emitters add their dispatches, and places every byte. Pure: no Vulkan calls.
#pragma once

#include "core/base/result.h"
#include "core/plan/plan.h"
#include "core/plan/resolve.h"
#include "vulkan/recording/dispatch_program.h"
#include "vulkan/recording/node_emission.h"
#include "vulkan/traits/device_traits.h"

namespace nnvk::vulkan {

// A plan with its final shapes.
struct ResolvedPlan {
  const Plan& plan;
  const Resolution& resolution;
  KeptEmissions* emitted = nullptr;  // finds nodes that are already emitted and stores new ones; null: emissions are not shared
};

// Builds the programs for `resolved`. They share constants found in `resident`; new ones get ids from `next_constant` on. Spans
// in the result point into plan and resolution. Errors name the operation: those of its emitter, OP_FAILED without an emitter or
// for a dispatch that does not fit its kernel, and RESOURCE_EXHAUSTED_PERSISTENT if the device runs no variant of a kernel.
Result<BuiltPrograms> build_programs(const ResolvedPlan& resolved, const DeviceTraits& traits, const ConstantIndex& resident,
                                     uint32_t next_constant);

}  // namespace nnvk::vulkan
