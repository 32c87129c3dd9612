// Operands and sizes of FULLY_CONNECTED and BATCH_MATMUL.
#pragma once

#include "core/operations/operation_definition.h"
#include "core/operations/parameters/activation.h"
#include "core/operations/parameters/scalar_parameters.h"
#include "core/operations/parameters/window_parameters.h"

namespace nnvk {

// A fully connected layer is a convolution of one pixel per batch, so its tensors have the same operand numbers.
namespace fully_connected {
enum Input : size_t { kInput = convolution::kImage, kWeights = convolution::kFilter, kBias = convolution::kBias, kActivation };
enum Output : size_t { kOutput = convolution::kOutput };
}  // namespace fully_connected

namespace batch_matmul {
enum Input : size_t { kLeft, kRight, kAdjointLeft, kAdjointRight };
enum Output : size_t { kOutput };
}  // namespace batch_matmul

// FULLY_CONNECTED: [batches, input_size] times the transposed weights [units, input_size].
struct FullyConnectedParameters {
  uint32_t batches = 0;
  uint32_t input_size = 0;
  uint32_t units = 0;
  FusedActivation activation = FusedActivation::kNone;
};
// Decodes an operation with known shapes and scalars that infer() has accepted. OP_FAILED for an unknown activation.
inline Result<FullyConnectedParameters> fully_connected_parameters(const OperationView& operation) {
  const Shape& weights = operation.shape(fully_connected::kWeights);
  FullyConnectedParameters p;
  p.units = weights[0];
  p.input_size = weights[1];
  p.batches = static_cast<uint32_t>(operation.shape(fully_connected::kInput).element_count() / p.input_size);
  NNVK_ASSIGN(p.activation, activation_parameter(operation, fully_connected::kActivation));
  return p;
}

// One [height, width] matrix of a batch, seen as [rows, columns] after the optional transposition. Element (r, c) is at r *
// row_stride + c * column_stride of the matrix.
struct BatchedMatrix {
  uint32_t rows = 0;
  uint32_t columns = 0;
  uint32_t row_stride = 0;
  uint32_t column_stride = 0;
  bool operator==(const BatchedMatrix&) const = default;
};
// Returns the view of the last two dimensions of a `shape` with known dimensions and a rank of at least 2; `adjoint` transposes
// it.
inline BatchedMatrix batched_matrix(const Shape& shape, bool adjoint) {
  const uint32_t height = shape[shape.rank() - 2];
  const uint32_t width = shape[shape.rank() - 1];
  return adjoint ? BatchedMatrix{width, height, 1, width} : BatchedMatrix{height, width, width, 1};
}

// BATCH_MATMUL computes `batches` products left * right.
struct BatchMatmulParameters {
  uint32_t batches = 0;
  BatchedMatrix left;
  BatchedMatrix right;
};
// Decodes an operation with known shapes and scalars that infer() has accepted.
inline Result<BatchMatmulParameters> batch_matmul_parameters(const OperationView& operation) {
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
