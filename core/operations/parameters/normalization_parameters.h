// The operands and parameters of L2_NORMALIZATION, LOCAL_RESPONSE_NORMALIZATION and INSTANCE_NORMALIZATION.
#pragma once

#include <algorithm>

#include "core/operations/operation_definition.h"
#include "core/operations/parameters/axis_split.h"
#include "core/operations/parameters/scalar_parameters.h"

namespace nnvk {

namespace l2_normalization {
enum Input : size_t { kInput, kAxis };
enum Output : size_t { kOutput };
}  // namespace l2_normalization

namespace local_response_normalization {
enum Input : size_t { kInput, kRadius, kBias, kAlpha, kBeta, kAxis };
enum Output : size_t { kOutput };
}  // namespace local_response_normalization

namespace instance_normalization {
enum Input : size_t { kInput, kGamma, kBeta, kEpsilon, kLayout };
enum Output : size_t { kOutput };
}  // namespace instance_normalization

// Each slice is normalized on its own: along the axis; for INSTANCE_NORMALIZATION the pixels of one channel of one image. All
// three decoders require known shapes and scalars that infer() has accepted. OP_FAILED for an axis outside the rank.
inline Result<AxisSplit> l2_normalization_slices(const OperationView& operation) {
  NNVK_ASSIGN(const uint32_t axis, axis_parameter(operation, l2_normalization::kAxis));
  return split_at_axis(operation.shape(l2_normalization::kInput), axis);
}

struct LocalResponseParameters {
  AxisSplit slices;
  uint32_t radius = 0;  // neighbours on either side, at most the size of a slice
  float bias = 0.0F;
  float alpha = 0.0F;
  float beta = 0.0F;  // an element is multiplied by (bias + alpha * squares of it and its neighbours) ^ -beta
};
inline Result<LocalResponseParameters> local_response_parameters(const OperationView& operation) {
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

struct InstanceNormalizationParameters {
  AxisSplit slices;
  float gamma = 1.0F;  // scale and shift of the normalised elements
  float beta = 0.0F;
  float epsilon = 0.0F;  // added to the variance
};
inline Result<InstanceNormalizationParameters> instance_normalization_parameters(const OperationView& operation) {
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
