// Rows of the operations that join tensors along an axis: CONCATENATION, PACK.
#include "core/operations/families/row_syntax.h"
#include "core/operations/parameters/concatenation_parameters.h"

namespace nnvk {
namespace {
using namespace row;

constexpr size_t kMaxRank = 4;  // of CONCATENATION

Status check_concatenation(const OperationView& operation) {
  const JoinedInputs tensors = joined_inputs(operation);
  for (size_t i = tensors.first; i < tensors.end; ++i) NNVK_TRY(check_rank(operation, i, 0, kMaxRank, Code::kBadData));
  return {};
}

// Checks the rule before level 3: all 8-bit tensors of a concatenation must have the same quantization.
bool all_quantized_alike(const OperationView& operation) {
  const JoinedInputs tensors = joined_inputs(operation);
  for (size_t i = tensors.first; i < tensors.end; ++i) {
    if (!same_quantization(operation.input(i), operation.output(concatenation::kOutput))) return false;
  }
  return true;
}

Shapes infer_concatenation(const OperationView& operation) {
  const JoinedInputs tensors = joined_inputs(operation);
  const auto axis = operation.scalar<int32_t>(tensors.axis);
  Shape merged = Shape::unknown_rank();  // the dimensions common to all inputs; the axis is summed up separately
  uint32_t axis_index = 0;
  int64_t axis_size = 0;
  bool axis_size_known = axis.has_value();
  for (size_t i = tensors.first; i < tensors.end; ++i) {
    NNVK_TRY(check_rank(operation, i, 1, kMaxRank, Code::kOpFailed));
    Shape shape = operation.shape(i);
    if (!shape.rank_known) {
      axis_size_known = false;
      continue;
    }
    if (!axis) {
      shape = unknown_dimensions(shape.rank());
    } else {
      if (*axis < 0 || static_cast<size_t>(*axis) >= shape.rank()) {
        return fail(Code::kOpFailed, "axis " + std::to_string(*axis) + " is outside [0, " + std::to_string(shape.rank()) + ")");
      }
      axis_index = static_cast<uint32_t>(*axis);
      axis_size_known = axis_size_known && is_known(shape[axis_index]);
      axis_size += shape[axis_index];
      shape.dims[axis_index] = kUnknownDimension;
    }
    const auto agreed = merge_shapes(merged, shape);
    if (!agreed) {
      return fail(Code::kOpFailed, "inputs 0 and " + std::to_string(i) + " may differ only along the axis, but are " +
                                       operation.shape(tensors.first).to_string() + " and " + operation.shape(i).to_string());
    }
    merged = *agreed;
  }
  if (axis_size_known && merged.rank_known) {
    NNVK_ASSIGN(merged.dims[axis_index], checked_dimension(axis_size, "the joined dimension"));
  }
  return one(std::move(merged));
}

Status check_pack(const OperationView& operation) {
  const OperandInfo& output = operation.output(concatenation::kOutput);
  const JoinedInputs tensors = joined_inputs(operation);
  std::optional<size_t> rank;
  for (size_t i = tensors.first; i < tensors.end; ++i) {
    if (is_quant8_asymm(output.type)) {
      NNVK_TRY(check_same_quantization(operation.input(i), output, input_name(i) + " and output 0", Code::kBadData));
    }
    const Shape& shape = operation.shape(i);
    if (!shape.rank_known) continue;
    if (rank) NNVK_TRY(check_rank(operation, i, *rank, *rank, Code::kBadData));
    rank = shape.rank();
  }
  if (rank) NNVK_TRY(check_shape_rank(output.shape, "output 0", *rank + 1, *rank + 1, Code::kBadData));
  return {};
}

Shapes infer_pack(const OperationView& operation) {
  const JoinedInputs tensors = joined_inputs(operation);
  NNVK_ASSIGN(Shape shape, common_shape(operation, tensors.first, tensors.end));
  if (!shape.rank_known) return one(std::move(shape));
  if (shape.rank() == 0) return fail(Code::kOpFailed, "inputs of rank 0 cannot be packed");
  const auto axis = operation.scalar<int32_t>(tensors.axis);
  if (!axis) return one(unknown_dimensions(shape.rank() + 1));
  if (*axis < 0 || static_cast<size_t>(*axis) > shape.rank()) {
    return fail(Code::kOpFailed, "axis " + std::to_string(*axis) + " is outside [0, " + std::to_string(shape.rank()) + "]");
  }
  shape.dims.insert(shape.dims.begin() + *axis, static_cast<uint32_t>(tensors.end - tensors.first));
  return one(std::move(shape));
}

constexpr auto kConcatenationRules = rules<In<kT, kInt32>, Out<kT>, RealsWhere<1, all_quantized_alike>>;
constexpr auto kPackRules = rules<In<kInt32, kT>, Out<kT>, Numbers<6>>;
constexpr Signature kConcatenation[] = {{.since = 1, .type_rules = kConcatenationRules}};
constexpr Signature kPack[] = {{.since = 6, .type_rules = kPackRules}};

constexpr auto kConcatenations = rows<Cost::kMovement, layout::joined>({
    {.code = Op::kConcatenation,
     .signatures = kConcatenation,
     .accepts_empty_inputs = true,
     .variadic_from = 0,
     .check = check_concatenation,
     .infer = infer_concatenation},
});
constexpr auto kPacks = rows<Cost::kMovement, layout::fixed>({
    {.code = Op::kPack, .signatures = kPack, .variadic_from = 1, .check = check_pack, .infer = infer_pack},
});
constexpr auto kRows = joined(kConcatenations, kPacks);

}  // namespace

std::span<const OperationDefinition> concatenation_operations() { return kRows; }

}  // namespace nnvk
