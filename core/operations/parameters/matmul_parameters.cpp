// Decodes matrix products.
#include "core/operations/parameters/matmul_parameters.h"

#include "core/operations/parameters/scalar_parameters.h"

namespace nnvk {

Result<FullyConnectedParameters> fully_connected_parameters(const OperationView& operation) {
  const Shape& weights = operation.shape(fully_connected::kWeights);
  FullyConnectedParameters p;
  p.units = weights[0];
  p.input_size = weights[1];
  p.batches = static_cast<uint32_t>(operation.shape(fully_connected::kInput).element_count() / p.input_size);
  NNVK_ASSIGN(p.activation, activation_parameter(operation, fully_connected::kActivation));
  return p;
}

BatchedMatrix batched_matrix(const Shape& shape, bool adjoint) {
  const uint32_t height = shape[shape.rank() - 2];
  const uint32_t width = shape[shape.rank() - 1];
  return adjoint ? BatchedMatrix{width, height, 1, width} : BatchedMatrix{height, width, width, 1};
}

Result<BatchMatmulParameters> batch_matmul_parameters(const OperationView& operation) {
  NNVK_ASSIGN(const bool adjoint_left, flag_parameter(operation, batch_matmul::kAdjointLeft));
  NNVK_ASSIGN(const bool adjoint_right, flag_parameter(operation, batch_matmul::kAdjointRight));
  const Shape& left = operation.shape(batch_matmul::kLeft);
  BatchMatmulParameters p;
  p.left = batched_matrix(left, adjoint_left);
  p.right = batched_matrix(operation.shape(batch_matmul::kRight), adjoint_right);
  p.batches = static_cast<uint32_t>(left.element_count() / (uint64_t{p.left.rows} * p.left.columns));
  return p;
}

}  // namespace nnvk
