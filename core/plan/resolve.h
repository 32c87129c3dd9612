// Gives every tensor of a plan its final shape for one set of inputs, and every parameter its value on the host. CPU and GPU
// share it: only this file runs shape functions over a whole plan. Pure.
#pragma once

#include <functional>

#include "core/plan/plan.h"

namespace nnvk {

// The facts about one plan input or output before execution.
struct BoundTensor {
  Shape shape;                           // inputs: fully known unless omitted; outputs: as declared, may be partly unknown
  std::span<const std::byte> data = {};  // inputs: the bytes if the host can read them now; else empty
  bool omitted = false;
};

// Runs one node on the host, from the bytes of its inputs to those of its outputs, which are sized. The CPU device supplies it.
using HostEvaluator =
    std::function<Status(const Plan& plan, const PlanNode& node, std::span<const OperandView> inputs,
                         std::span<const OperandInfo> output_infos, std::span<const std::span<std::byte>> outputs)>;

// The shapes and host values of a plan's tensors for one set of inputs. Move-only, because host_values points into `owned`.
struct Resolution {
  Resolution() = default;
  Resolution(Resolution&&) = default;
  Resolution& operator=(Resolution&&) = default;

  std::vector<OperandInfo> infos;                       // per tensor: the plan's info with the final shape
  std::vector<bool> present;                            // per tensor: false when omitted
  std::vector<std::span<const std::byte>> host_values;  // per tensor: bytes known to the host, else empty
  // Per tensor: not null for outputs whose size depends on data, for which `infos` holds the upper bound. The result must agree
  // with this shape: the declared dimensions and those that follow from the inputs.
  std::vector<std::unique_ptr<Shape>> data_dependent;
  std::vector<bool> evaluated_on_host;        // per node: its outputs are in host_values, no device work needed
  std::vector<std::vector<std::byte>> owned;  // storage behind host_values that the plan does not own
  // Returns a node's inputs and outputs with final shapes and host values, for emitters and kernels.
  NodeView view(const PlanNode& node) const;
};

// Returns, per node, whether it must run on the host because a parameter of another node depends on its result.
std::vector<bool> host_nodes(const Plan& plan);

// Returns, per plan input, whether its values change the resolution (parameters, inputs of host nodes): recordings' keys contain
// them.
std::vector<bool> parameter_inputs(const Plan& plan);

// Finds the shapes of all tensors for one set of inputs, each given or omitted. If `outputs` is empty, they are as declared.
// Computes parameters through `evaluator` if nodes produce them from known inputs. Returns the first error of a shape function.
Result<Resolution> resolve(const Plan& plan, std::span<const BoundTensor> inputs, std::span<const BoundTensor> outputs,
                           const HostEvaluator& evaluator);

// Finds the shapes that follow from declared shapes and constants, before any execution; dimensions may be unknown. Does not
// check operations that may do without one of the model's inputs: their outputs stay as declared.
Result<Resolution> resolve_declared(const Plan& plan, const HostEvaluator& evaluator);

// Returns the input number of the node's first parameter whose value the host does not know, or nullopt if the host knows all of
// them.
std::optional<size_t> open_parameter(const Plan& plan, const PlanNode& node, const Resolution& resolution);

// The plan's inputs and outputs as declared, none omitted: a compilation prepares the plan for these.
struct DeclaredBindings {
  std::vector<BoundTensor> inputs;
  std::vector<BoundTensor> outputs;
};
// Returns nullopt if the shape of an input is not fully known, or the host needs the value of one (parameter_inputs()).
std::optional<DeclaredBindings> declared_bindings(const Plan& plan);

// Appends to `key` all values on which the resolution of an execution depends: input shapes, omissions, parameter values, and
// output shapes unless they equal the model's. Reuse the buffer: once it is large enough, the function allocates nothing.
void append_resolution_key(const Plan& plan, const std::vector<bool>& parameter_inputs, std::span<const BoundTensor> inputs,
                           std::span<const BoundTensor> outputs, std::vector<std::byte>& key);

}  // namespace nnvk
