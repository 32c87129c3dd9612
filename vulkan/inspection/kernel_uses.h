// Which kernels a device would run for the nodes of a plan, and why: the choices of a compilation, without its objects. Pure.
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <vector>

#include "core/plan/rewrites.h"
#include "vulkan/recording/pipelines.h"
#include "vulkan/traits/device_traits.h"

namespace nnvk::vulkan {

struct KernelUse {
  PipelineKey pipeline;
  std::array<uint32_t, 3> groups = {1, 1, 1};  // work groups
  uint32_t operation = 0;                      // of the model, in the order of addOperation; or of a referenced model
  std::string name;                            // "CONV_2D"
  std::string label;                           // "CONV_2D 1x56x56x24, filter 1x1x24 stride 1"
  bool once = false;                           // at preparation, to pack constants; false: in every execution
  DispatchWork work;
  std::string reason;  // choice_reason()
};

// An operation whose kernels are not known.
struct UnlistedOperation {
  uint32_t operation = 0;
  std::string name;
  std::string reason;
};

struct KernelUses {
  std::vector<KernelUse> uses;  // in running order; the two models of IF or WHILE follow each other
  std::vector<UnlistedOperation> unlisted;
};

// Lists the kernels of a plan as built from a model. An operation is unlisted if the device does not run it, or if only an
// execution knows its shapes or parameters. `evaluator` computes weights inside the model.
KernelUses kernel_uses(const PlanPointer& plan, const DeviceTraits& traits, const HostEvaluator& evaluator);

}  // namespace nnvk::vulkan
