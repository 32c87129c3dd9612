// A node of a plan whose final shapes were checked. Code that makes kernels takes only this type, so that no node runs unchecked.
#pragma once

#include "core/operations/checked_operation.h"
#include "core/plan/resolve.h"

namespace nnvk {

// A node of a plan whose operation is a CheckedOperation. It refers to the plan, the node and the resolution, which must live as
// long.
class CheckedNode {
 public:
  // Checks the node's operation. Errors: those of CheckedOperation::check(), without the node's place; OP_FAILED if
  // PlanNode::residual has a wrong shape.
  static Result<CheckedNode> check(const Plan& plan, const PlanNode& node, const Resolution& resolution);

  const Plan& plan() const { return *plan_; }
  const PlanNode& node() const { return *node_; }
  const Resolution& resolution() const { return *resolution_; }
  // Returns the operation, which is valid as long as this object.
  const CheckedOperation& operation() const { return operation_; }

 private:
  CheckedNode(const Plan& plan, const PlanNode& node, const Resolution& resolution, NodeView view, CheckedOperation operation)
      : plan_(&plan), node_(&node), resolution_(&resolution), view_(std::move(view)), operation_(operation) {}

  const Plan* plan_;
  const PlanNode* node_;
  const Resolution* resolution_;
  NodeView view_;  // operation_ points to its elements, which do not move with it
  CheckedOperation operation_;
};

}  // namespace nnvk
