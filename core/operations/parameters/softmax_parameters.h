// Operands and parameters of SOFTMAX and LOG_SOFTMAX.
#pragma once

#include "core/operations/operation_definition.h"
#include "core/operations/parameters/axis_split.h"
#include "core/operations/parameters/scalar_parameters.h"

namespace nnvk {

namespace softmax {
enum Input : size_t { kInput, kBeta, kAxis };
enum Output : size_t { kOutput };
}  // namespace softmax

struct SoftmaxParameters {
  float beta = 1.0F;  // factor of the exponents
  AxisSplit split;    // around the axis; every slice is normalised separately
};
// Decodes an operation with a known shape and scalars that infer() has accepted. OP_FAILED for an axis outside the rank.
inline Result<SoftmaxParameters> softmax_parameters(const OperationView& operation) {
  SoftmaxParameters p;
  NNVK_ASSIGN(p.beta, float_parameter(operation, softmax::kBeta));
  NNVK_ASSIGN(const uint32_t axis, axis_parameter(operation, softmax::kAxis));
  p.split = split_at_axis(operation.shape(softmax::kInput), axis);
  return p;
}

}  // namespace nnvk
