// Decodes SVDF.
#include "core/operations/parameters/svdf_parameters.h"

#include "core/operations/parameters/scalar_parameters.h"

namespace nnvk {

Result<SvdfParameters> svdf_parameters(const OperationView& operation) {
  using namespace svdf;
  SvdfParameters p;
  NNVK_ASSIGN(const int32_t rank, int_parameter(operation, kRank));
  NNVK_ASSIGN(p.activation, activation_parameter(operation, kActivation));
  p.rank = static_cast<uint32_t>(rank);
  p.batch = operation.shape(kInput)[0];
  p.input_size = operation.shape(kInput)[1];
  p.filters = operation.shape(kFeatureWeights)[0];
  p.memory = operation.shape(kTimeFilter)[1];
  p.units = p.filters / p.rank;
  p.has_bias = operation.has(kBias);
  return p;
}

}  // namespace nnvk
