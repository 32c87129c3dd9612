#include "core/plan/explicit_padding.h"

#include <utility>

#include "core/plan/added_constants.h"

namespace nnvk {

void set_explicit_padding(Plan& plan, PlanNode& node, const WindowOperands& at, const Padding& padding) {
  std::vector<TensorId> inputs = {node.inputs[convolution::kImage], node.inputs[convolution::kFilter],
                                  node.inputs[convolution::kBias]};
  for (const int32_t amount : padding) inputs.push_back(add_int_constant(plan, amount));
  inputs.insert(inputs.end(), node.inputs.begin() + static_cast<std::ptrdiff_t>(at.strides), node.inputs.end());
  node.inputs = std::move(inputs);
}

}  // namespace nnvk
