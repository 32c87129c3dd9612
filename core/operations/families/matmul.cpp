// FULLY_CONNECTED and BATCH_MATMUL.
#include <algorithm>

#include "core/operations/families/row_syntax.h"
#include "core/operations/parameters/matmul_parameters.h"
#include "core/operations/rules/filter_rules.h"

namespace nnvk {
namespace {
using namespace row;

// Returns the number of elements; nothing while a dimension is unknown.
std::optional<uint64_t> element_count(const Shape& shape) {
  if (!shape.fully_known()) return std::nullopt;
  return shape.element_count();
}

// Checks ranks and sizes: at addOperation with BAD_DATA, and again at execution with OP_FAILED.
Status check_fully_connected_shapes(const OperationView& operation, Code code) {
  using namespace fully_connected;
  NNVK_TRY(check_rank(operation, kInput, 2, 4, code));
  NNVK_TRY(check_rank(operation, kWeights, 2, 2, code));
  NNVK_TRY(check_rank(operation, kBias, 1, 1, code));
  const auto elements = element_count(operation.shape(kInput));
  const uint32_t input_size = dimension_of(operation, kWeights, 1);
  if (elements && is_known(input_size) && (input_size == 0 || *elements % input_size != 0)) {
    return fail(code, "the " + std::to_string(*elements) + " elements of input 0 are not a multiple of the input size " +
                          std::to_string(input_size) + " of the weights");
  }
  if (contradict(dimension_of(operation, kWeights, 0), dimension_of(operation, kBias, 0))) {
    return fail(code, "the bias has shape " + operation.shape(kBias).to_string() + " but the weights " +
                          operation.shape(kWeights).to_string());
  }
  return {};
}

Status check_fully_connected(const OperationView& operation) {
  for (const size_t i : {fully_connected::kInput, fully_connected::kWeights, fully_connected::kBias}) {
    if (!operation.shape(i).rank_known) return {};
  }
  return check_fully_connected_shapes(operation, Code::kBadData);
}

Shapes infer_fully_connected(const OperationView& operation) {
  using namespace fully_connected;
  NNVK_TRY(check_fully_connected_shapes(operation, Code::kOpFailed));
  NNVK_TRY(check_activation(operation.scalar<int32_t>(kActivation)));
  NNVK_TRY(check_bias_scale(operation));
  const uint32_t units = either(dimension_of(operation, kWeights, 0), dimension_of(operation, kBias, 0));
  const uint32_t input_size = dimension_of(operation, kWeights, 1);
  if (units == 0 || input_size == 0) {
    return fail(Code::kOpFailed, "the weights may not be empty, but are " + operation.shape(kWeights).to_string());
  }
  uint32_t batch = kUnknownDimension;
  if (const auto elements = element_count(operation.shape(kInput)); elements && is_known(input_size)) {
    NNVK_ASSIGN(batch,
                checked_dimension(static_cast<int64_t>(std::min<uint64_t>(*elements / input_size, INT64_MAX)), "the batch"));
  }
  return one({batch, units});
}

Shapes infer_batch_matmul(const OperationView& operation) {
  using namespace batch_matmul;
  NNVK_TRY(check_rank(operation, kLeft, 2, 4, Code::kOpFailed));
  NNVK_TRY(check_rank(operation, kRight, 2, 4, Code::kOpFailed));
  const Shape& left = operation.shape(kLeft);
  const Shape& right = operation.shape(kRight);
  if (left.rank_known && right.rank_known && left.rank() != right.rank()) {
    return fail(Code::kOpFailed, "the inputs must have the same rank, but are " + left.to_string() + " and " + right.to_string());
  }
  if (!left.rank_known && !right.rank_known) return one(Shape::unknown_rank());
  const size_t rank = left.rank_known ? left.rank() : right.rank();
  Shape output = unknown_dimensions(rank);
  for (size_t d = 0; d + 2 < rank; ++d) {
    const uint32_t a = dimension_of(operation, kLeft, d);
    const uint32_t b = dimension_of(operation, kRight, d);
    if (contradict(a, b))
      return fail(Code::kOpFailed,
                  "the inputs must have the same batches, but are " + left.to_string() + " and " + right.to_string());
    output.dims[d] = either(a, b);
  }
  const auto adjoint_left = optional_flag(operation, kAdjointLeft);
  const auto adjoint_right = optional_flag(operation, kAdjointRight);
  // The adjoint flags tell which of a matrix's last two dimensions is summed over; the other one is a dimension of the result.
  if (adjoint_left) output.dims[rank - 2] = dimension_of(operation, kLeft, *adjoint_left ? rank - 1 : rank - 2);
  if (adjoint_right) output.dims[rank - 1] = dimension_of(operation, kRight, *adjoint_right ? rank - 2 : rank - 1);
  if (adjoint_left && adjoint_right &&
      contradict(dimension_of(operation, kLeft, *adjoint_left ? rank - 2 : rank - 1),
                 dimension_of(operation, kRight, *adjoint_right ? rank - 1 : rank - 2))) {
    return fail(Code::kOpFailed, "the inner sizes of " + left.to_string() + " and " + right.to_string() + " must be equal");
  }
  return one(output);
}

constexpr auto kFullyConnectedTypes = rules<In<kT, kT, kTBias, kInt32>, Out<kT>, Reals<1>>;
constexpr auto kBatchMatmulTypes =
    rules<In<kT, kT, kBool, kBool>, Out<kT>, Since<6, kTensorFloat16, kTensorFloat32, kTensorQuant8AsymmSigned, kTensorInt32>>;

constexpr auto kLayers = rows<Cost::kMatrix, layout::fixed, filter_multiply_adds>({
    {.code = Op::kFullyConnected,
     .signatures = only<kFullyConnectedTypes>,
     .accepts_empty_inputs = true,
     .check = check_fully_connected,
     .infer = infer_fully_connected,
     .level = product_scale_level},
});
constexpr auto kMatrices = rows<Cost::kMatrix, layout::fixed, matrix_multiply_adds>({
    {.code = Op::kBatchMatmul, .signatures = only<kBatchMatmulTypes>, .infer = infer_batch_matmul},
});
constexpr auto kRows = joined(kLayers, kMatrices);

}  // namespace

std::span<const OperationDefinition> matmul_operations() { return kRows; }

}  // namespace nnvk
