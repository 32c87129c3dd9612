// An emitter turns a plan node with resolved shapes into dispatches and chooses the kernels: pure, no Vulkan calls. Each family's
// file has one row per operation; find_emitter() returns the row of an operation.
#pragma once

#include <string>
#include <utility>

#include "core/base/result.h"
#include "core/plan/checked_node.h"
#include "core/plan/plan.h"
#include "core/plan/resolve.h"
#include "vulkan/kernels/dispatch.h"
#include "vulkan/traits/device_traits.h"

namespace nnvk::vulkan {

// A node with its final, checked shapes. It refers to `checked`, which must outlive it.
struct ResolvedNode {
  ResolvedNode(const CheckedNode& node_checked, const DeviceTraits& device)
      : checked(node_checked), plan(checked.plan()), node(checked.node()), resolution(checked.resolution()), traits(device) {}

  const CheckedNode& checked;
  const Plan& plan;
  const PlanNode& node;
  const Resolution& resolution;  // final shapes of all tensors, values of parameters
  const DeviceTraits& traits;

  TensorId input_id(size_t i) const { return node.inputs[i]; }
  TensorId output_id(size_t i) const { return node.outputs[i]; }
  bool has(size_t i) const { return i < node.inputs.size() && resolution.present[node.inputs[i]]; }
  const OperandInfo& input(size_t i) const { return resolution.infos[node.inputs[i]]; }
  const OperandInfo& output(size_t i) const { return resolution.infos[node.outputs[i]]; }
  // Runs one of core's decoders on the node, with final shapes and the values of all parameters.
  template <class Decoder>
  auto decode(Decoder&& decoder) const {
    return decoder(checked.operation());
  }
};

// The input of an emitter: its node, and the list that receives its dispatches.
struct EmitContext : ResolvedNode {
  EmitContext(const ResolvedNode& resolved, DispatchList& list) : ResolvedNode(resolved), dispatches(list) {}
  DispatchList& dispatches;
};

// Returns RESOURCE_EXHAUSTED_PERSISTENT with `text`. If shapes are known at compilation, placement declines the operation with
// `text` as its reason, and another device computes it. With any other error of an emitter, the device keeps the operation, and
// executions return the error.
inline auto beyond_device(std::string text) { return fail(Code::kResourceExhaustedPersistent, std::move(text)); }

// Fails with the reason if types and declared shapes show that the device cannot run the node. Placement calls it before shapes
// are final. After success, emit() fails only for shapes beyond the device, or for wrong values.
using SupportFunction = Status (*)(const Plan& plan, const PlanNode& node, const DeviceTraits& traits);
using EmitFunction = Status (*)(const EmitContext& context);

struct KernelEmitter {
  OperationCode code{};
  SupportFunction support = nullptr;  // null: supports every signature that core accepts
  EmitFunction emit = nullptr;
};

// Returns the emitter of an operation; null if the Vulkan device does not run it.
const KernelEmitter* find_emitter(OperationCode code);

}  // namespace nnvk::vulkan
