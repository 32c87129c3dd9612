// Gives every tensor of a plan its final shape for one set of inputs, and every parameter its value on the host.
// The one place where shape functions run over a whole plan; CPU and GPU share it. Pure: no device.
#pragma once

#include <functional>

#include "core/plan/plan.h"

namespace nnvk {

// The knowledge about one plan input or output before execution.
struct BoundTensor {
  Shape shape;                           // inputs: fully known unless omitted; outputs: as declared, may be partly unknown
  std::span<const std::byte> data = {};  // inputs: the bytes if the host can read them now; else empty
  bool omitted = false;
};

// Runs one node on the host. Inputs' and outputs' bytes are given; outputs are already sized. Supplied by the CPU device.
using HostEvaluator =
    std::function<Status(const Plan& plan, const PlanNode& node, std::span<const OperandView> inputs,
                         std::span<const OperandInfo> output_infos, std::span<const std::span<std::byte>> outputs)>;

// Move-only: host_values points into `owned`.
struct Resolution {
  Resolution() = default;
  Resolution(Resolution&&) = default;
  Resolution& operator=(Resolution&&) = default;

  std::vector<OperandInfo> infos;                       // per tensor: the plan's info with the final shape
  std::vector<bool> present;                            // per tensor: false when omitted
  std::vector<std::span<const std::byte>> host_values;  // per tensor: bytes known to the host, else empty
  // Per tensor: not null for outputs whose size depends on data. `infos` then holds the upper bound. This shape is the one that
  // the result must agree with: the declared dimensions and those that follow from the inputs.
  std::vector<std::unique_ptr<Shape>> data_dependent;
  std::vector<bool> evaluated_on_host;        // per node: its outputs are in host_values, no device work needed
  std::vector<std::vector<std::byte>> owned;  // storage behind host_values that the plan does not own
  // Node inputs/outputs with final shapes and host values, for emitters and kernels.
  NodeView view(const Plan& plan, const PlanNode& node) const;
};

// Nodes that must run on the host because a parameter of another node depends on their result.
std::vector<bool> host_nodes(const Plan& plan);

// Plan inputs whose values change the resolution (parameters, or inputs of host nodes). A recording's key contains their bytes.
std::vector<bool> parameter_inputs(const Plan& plan);

// Shapes of all tensors for one set of inputs, each given or omitted (`outputs` may be empty: as declared). Returns the first
// error of a shape function, with the operation's name. A parameter that nodes compute is evaluated on the host through
// `evaluator` when all inputs of those nodes are known there.
Result<Resolution> resolve(const Plan& plan, std::span<const BoundTensor> inputs, std::span<const BoundTensor> outputs,
                           const HostEvaluator& evaluator);

// Shapes as far as declared shapes and constants determine them, before any execution. Dimensions may be unknown. Operations that
// may do without one of the model's inputs are not checked: their outputs stay as declared.
Result<Resolution> resolve_declared(const Plan& plan, const HostEvaluator& evaluator);

// A parameter of the node whose value the host does not know, as an index into its inputs. nullopt: it knows all.
std::optional<size_t> open_parameter(const Plan& plan, const PlanNode& node, const Resolution& resolution);

// Inputs and outputs as the plan declares them, none omitted: a compilation prepares the plan for these.
struct DeclaredBindings {
  std::vector<BoundTensor> inputs;
  std::vector<BoundTensor> outputs;
};
// nullopt: the shape of an input is not fully known, or the host needs the value of one (parameter_inputs()).
std::optional<DeclaredBindings> declared_bindings(const Plan& plan);

// A byte string that is equal only if two executions resolve alike: input shapes, omissions, parameter values, and output shapes
// that add to the model's. Appends to `key` (reuse the buffer: no allocation once it is large enough).
void append_resolution_key(const Plan& plan, const std::vector<bool>& parameter_inputs, std::span<const BoundTensor> inputs,
                           std::span<const BoundTensor> outputs, std::vector<std::byte>& key);

}  // namespace nnvk
