// Checks the node's operation, then the sum that was fused into it.
#include "core/plan/checked_node.h"

#include <utility>

namespace nnvk {

Result<CheckedNode> CheckedNode::check(const Plan& plan, const PlanNode& node, const Resolution& resolution) {
  NodeView view = resolution.view(node);
  NNVK_ASSIGN(const CheckedOperation operation, CheckedOperation::check(view.view()));
  if (node.residual != kNoTensor && resolution.infos[node.residual].shape != operation.output(kFirstOutput).shape) {
    return fail(Code::kOpFailed, "the tensor to add has shape " + resolution.infos[node.residual].shape.to_string() +
                                     ", the result " + operation.output(kFirstOutput).shape.to_string());
  }
  return CheckedNode(plan, node, resolution, std::move(view), operation);
}

}  // namespace nnvk
