// The immutable graph that devices place, prepare and run. build_plan() makes it from a finished model; rewrites make new plans.
#pragma once

#include <memory>

#include "core/base/transposed_bytes.h"
#include "core/operations/operation_definition.h"
#include "core/operations/parameters/activation.h"

namespace nnvk {

using TensorId = uint32_t;
inline constexpr TensorId kNoTensor = UINT32_MAX;

// One operand of the graph (a tensor or a scalar). Nodes may also read outputs of the plan.
struct PlanTensor {
  OperandInfo info;
  TensorRole role = TensorRole::kTemporary;
  uint32_t io_index = 0;             // kInput / kOutput: position in Plan::inputs / Plan::outputs
  std::span<const std::byte> value;  // kConstant: the bytes, kept alive by `owner` or by the client
  std::shared_ptr<const void> owner;
  // kConstant: null, or the bytes of a CONV_2D's filter in another order; `value` is empty then. Devices call with_all_bytes(),
  // or put each filter in order while they pack it.
  std::shared_ptr<const TransposedBytes> transposed;
  uint32_t subgraph = 0;         // kSubgraph: index into Plan::subgraphs
  TensorId view_of = kNoTensor;  // shares the bytes of this tensor (a removed reshape); never chained
};

// One operation of the graph.
struct PlanNode {
  OperationCode code{};
  std::vector<TensorId> inputs;  // kNoTensor never occurs; omitted operands are kOmitted tensors
  std::vector<TensorId> outputs;
  std::optional<ExtensionOperation> extension;                // of every extension operation and of no other
  uint32_t source_operation = 0;                              // index in the model, in the order of addOperation
  std::vector<uint32_t> fused_operations;                     // source operations folded into this one by rewrites
  FusedActivation fused_activation = FusedActivation::kNone;  // applied after the node's own activation operand
  TensorId residual = kNoTensor;  // added to the result before fused_activation (float only; same shape as the output)
  bool is_view = false;           // does nothing: its output and its first input share their bytes (PlanTensor::view_of)
};

struct Plan {
  std::vector<PlanTensor> tensors;
  std::vector<PlanNode> nodes;  // in an order in which every tensor is written before it is read
  std::vector<TensorId> inputs;
  std::vector<TensorId> outputs;
  std::vector<std::shared_ptr<const Plan>> subgraphs;  // models referenced by IF and WHILE
  bool relaxed = false;                                // FLOAT32 may be computed as FLOAT16

  // Returns the operation of the model that an error about the node names.
  OperationPlace place_of(const PlanNode& node) const;
  // Returns "CONV_2D (operation 12)" or "vendor.name operation 3 (operation 12)".
  std::string describe(const PlanNode& node) const { return place_of(node).text(); }
  // Returns the tensor that owns the bytes of `tensor`: itself, or the tensor of which it is a view.
  TensorId storage_of(TensorId tensor) const;
  bool is_constant(TensorId tensor) const { return tensors[tensor].role == TensorRole::kConstant; }
};

// Gives a constant its bytes in the order of its dimensions.
void put_in_order(PlanTensor& tensor);
// Does that for all constants. Returns the plan itself if they have their bytes.
std::shared_ptr<const Plan> with_all_bytes(std::shared_ptr<const Plan> plan);

// One node as check_operation() takes it. The view points into its Plan, and into the Resolution if that made it: keep both.
struct NodeView {
  OperationCode code{};
  std::vector<OperandView> inputs;
  std::vector<const OperandInfo*> outputs;
  OperationView view() const { return OperationView{code, inputs, outputs}; }
};
// Makes a view that knows only declared shapes and the values of constants.
NodeView declared_view(const Plan& plan, const PlanNode& node);

}  // namespace nnvk
