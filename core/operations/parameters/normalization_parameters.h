// The operands and parameters of L2_NORMALIZATION, LOCAL_RESPONSE_NORMALIZATION and INSTANCE_NORMALIZATION.
#pragma once

#include "core/operations/operation_definition.h"
#include "core/operations/parameters/axis_split.h"

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
Result<AxisSplit> l2_normalization_slices(const OperationView& operation);

struct LocalResponseParameters {
  AxisSplit slices;
  uint32_t radius = 0;  // neighbours on either side, at most the size of a slice
  float bias = 0.0F;
  float alpha = 0.0F;
  float beta = 0.0F;  // an element is multiplied by (bias + alpha * squares of it and its neighbours) ^ -beta
};
Result<LocalResponseParameters> local_response_parameters(const OperationView& operation);

struct InstanceNormalizationParameters {
  AxisSplit slices;
  float gamma = 1.0F;  // scale and shift of the normalised elements
  float beta = 0.0F;
  float epsilon = 0.0F;  // added to the variance
};
Result<InstanceNormalizationParameters> instance_normalization_parameters(const OperationView& operation);

}  // namespace nnvk
