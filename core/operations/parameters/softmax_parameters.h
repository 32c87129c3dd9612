// Operands and parameters of SOFTMAX and LOG_SOFTMAX.
#pragma once

#include "core/base/result.h"
#include "core/operations/operation_definition.h"
#include "core/operations/parameters/axis_split.h"

namespace nnvk {

namespace softmax {
enum Input : size_t { kInput, kBeta, kAxis };
enum Output : size_t { kOutput };
}  // namespace softmax

struct SoftmaxParameters {
  float beta = 1.0F;  // factor of the exponents
  AxisSplit split;    // around the axis; every slice is normalised by itself
};
// Shape and scalars are known, infer() has passed. OP_FAILED for an axis outside the rank.
Result<SoftmaxParameters> softmax_parameters(const OperationView& operation);

}  // namespace nnvk
