// Decodes the normalisations.
#include "core/operations/parameters/normalization_parameters.h"

#include <algorithm>

#include "core/operations/parameters/scalar_parameters.h"
#include "core/operations/rules/shape_rules.h"

namespace nnvk {

Result<AxisSplit> l2_normalization_slices(const OperationView& operation) {
  NNVK_ASSIGN(const uint32_t axis, axis_parameter(operation, l2_normalization::kAxis));
  return split_at_axis(operation.shape(l2_normalization::kInput), axis);
}

Result<LocalResponseParameters> local_response_parameters(const OperationView& operation) {
  using namespace local_response_normalization;
  LocalResponseParameters p;
  NNVK_ASSIGN(const uint32_t axis, axis_parameter(operation, kAxis));
  p.slices = split_at_axis(operation.shape(kInput), axis);
  NNVK_ASSIGN(const int32_t radius, int_parameter(operation, kRadius));
  p.radius = static_cast<uint32_t>(std::min<uint64_t>(static_cast<uint64_t>(radius), p.slices.size));
  NNVK_ASSIGN(p.bias, float_parameter(operation, kBias));
  NNVK_ASSIGN(p.alpha, float_parameter(operation, kAlpha));
  NNVK_ASSIGN(p.beta, float_parameter(operation, kBeta));
  return p;
}

Result<InstanceNormalizationParameters> instance_normalization_parameters(const OperationView& operation) {
  using namespace instance_normalization;
  InstanceNormalizationParameters p;
  NNVK_ASSIGN(const bool nchw, flag_parameter(operation, kLayout));
  NNVK_ASSIGN(p.gamma, float_parameter(operation, kGamma));
  NNVK_ASSIGN(p.beta, float_parameter(operation, kBeta));
  NNVK_ASSIGN(p.epsilon, float_parameter(operation, kEpsilon));
  const Shape& shape = operation.shape(kInput);
  const LayoutAxes axes = layout_axes(nchw);
  const size_t channels = shape[axes.channels];
  p.slices.outer = shape[0] * (nchw ? channels : 1);
  p.slices.size = size_t{shape[axes.height]} * shape[axes.width];
  p.slices.inner = nchw ? 1 : channels;
  return p;
}

}  // namespace nnvk
