// Decodes SOFTMAX and LOG_SOFTMAX.
#include "core/operations/parameters/softmax_parameters.h"

#include "core/operations/parameters/scalar_parameters.h"

namespace nnvk {

Result<SoftmaxParameters> softmax_parameters(const OperationView& operation) {
  SoftmaxParameters p;
  NNVK_ASSIGN(p.beta, float_parameter(operation, softmax::kBeta));
  NNVK_ASSIGN(const uint32_t axis, axis_parameter(operation, softmax::kAxis));
  p.split = split_at_axis(operation.shape(softmax::kInput), axis);
  return p;
}

}  // namespace nnvk
