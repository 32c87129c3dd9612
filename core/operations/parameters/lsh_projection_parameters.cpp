// Decodes LSH_PROJECTION.
#include "core/operations/parameters/lsh_projection_parameters.h"

#include "core/operations/parameters/scalar_parameters.h"

namespace nnvk {

Result<LshParameters> lsh_projection_parameters(const OperationView& operation) {
  using namespace lsh_projection;
  LshParameters p;
  NNVK_ASSIGN(const int32_t type, int_parameter(operation, kType));
  p.type = static_cast<LshType>(type);
  p.hashes = operation.shape(kHash)[0];
  p.bits = operation.shape(kHash)[1];
  p.rows = operation.shape(kInput)[0];
  p.weighted = operation.has(kWeights);
  return p;
}

}  // namespace nnvk
