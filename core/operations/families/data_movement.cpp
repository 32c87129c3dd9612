// RESHAPE, SQUEEZE, EXPAND_DIMS, SPLIT, TRANSPOSE, TILE, REVERSE, FILL and RANK rearrange dimensions or whole tensors.
#include <algorithm>

#include "core/operations/families/row_syntax.h"
#include "core/operations/parameters/data_movement_parameters.h"

namespace nnvk {
namespace {
using namespace row;

constexpr size_t kMaxRank = 4;  // of the operations of feature levels 1 and 2

Shapes infer_reshape(const OperationView& operation) {
  NNVK_TRY(check_outputs_keep_quantization(operation));
  const Shape& input = operation.shape(reshape::kInput);
  const auto target = operation.values<int32_t>(reshape::kShape);
  if (!target) return one(unknown_dimensions_of_length(operation.shape(reshape::kShape)));
  if (target->empty() || target->size() > kMaxRank) {
    return fail(Code::kOpFailed, "the target shape must have 1 to 4 dimensions, but has " + std::to_string(target->size()));
  }
  Shape output = unknown_dimensions(target->size());
  Shape given;  // the target without its -1
  for (size_t i = 0; i < target->size(); ++i) {
    const int32_t dimension = (*target)[i];
    if (dimension == -1) continue;
    if (dimension <= 0) {
      return fail(Code::kOpFailed,
                  "target dimension " + std::to_string(i) + " must be -1 or above 0, but is " + std::to_string(dimension));
    }
    output.dims[i] = static_cast<uint32_t>(dimension);
    given.dims.push_back(output.dims[i]);
  }
  if (given.rank() + 1 < output.rank()) return fail(Code::kOpFailed, "the target shape may hold -1 only once");
  if (!input.fully_known()) return one(std::move(output));
  const uint64_t elements = input.element_count();
  for (uint32_t& dimension : output.dims) {
    if (is_known(dimension)) continue;
    NNVK_ASSIGN(dimension,
                checked_dimension(static_cast<int64_t>(std::min<uint64_t>(elements / given.element_count(), INT64_MAX)),
                                  "the dimension given as -1"));
  }
  if (output.element_count() != elements) {
    return fail(Code::kOpFailed,
                "the target shape " + output.to_string() + " has another number of elements than the input " + input.to_string());
  }
  return one(std::move(output));
}

Shapes infer_squeeze(const OperationView& operation) {
  NNVK_TRY(check_outputs_keep_quantization(operation));
  NNVK_TRY(check_rank(operation, squeeze::kInput, 1, kMaxRank, Code::kOpFailed));
  const Shape& axes_shape = operation.shape(squeeze::kAxes);
  if (!operation.has(squeeze::kAxes) && !axes_shape.rank_known) {
    return fail(Code::kOpFailed, "omitted axes must be declared with one dimension");
  }
  NNVK_TRY(check_shape_rank(axes_shape, input_name(squeeze::kAxes), 1, 1, Code::kOpFailed));
  const Shape& input = operation.shape(squeeze::kInput);
  if (!input.rank_known) return one(Shape::unknown_rank());
  std::vector<bool> dropped(input.rank());
  if (operation.has(squeeze::kAxes)) {
    const auto axes = operation.values<int32_t>(squeeze::kAxes);
    if (!axes) return one(Shape::unknown_rank());
    for (const int32_t axis : *axes) {
      NNVK_ASSIGN(const uint32_t index, normalize_axis(axis, input.rank()));
      if (contradict(input[index], 1)) {
        return fail(Code::kOpFailed,
                    "axis " + std::to_string(axis) + " has size " + std::to_string(input[index]) + " instead of 1");
      }
      dropped[index] = true;
    }
  } else {
    if (!input.fully_known()) return one(Shape::unknown_rank());
    for (size_t i = 0; i < dropped.size(); ++i) dropped[i] = input[i] == 1;
  }
  Shape output;
  for (size_t i = 0; i < input.rank(); ++i) {
    if (!dropped[i]) output.dims.push_back(input[i]);
  }
  if (output.dims.empty()) output.dims.push_back(1);
  return one(std::move(output));
}

Shapes infer_expand_dims(const OperationView& operation) {
  NNVK_TRY(check_outputs_keep_quantization(operation));
  const Shape& input = operation.shape(expand_dims::kInput);
  const auto axis = operation.scalar<int32_t>(expand_dims::kAxis);
  if (!input.rank_known) return one(Shape::unknown_rank());
  if (!axis) return one(unknown_dimensions(input.rank() + 1));
  NNVK_ASSIGN(const uint32_t index, normalize_axis(*axis, input.rank() + 1));
  Shape output = input;
  output.dims.insert(output.dims.begin() + index, 1);
  return one(std::move(output));
}

Shapes infer_split(const OperationView& operation) {
  NNVK_TRY(check_outputs_keep_quantization(operation));
  const size_t count = operation.outputs.size();
  const auto axis = operation.scalar<int32_t>(split::kAxis);
  if (const auto splits = operation.scalar<int32_t>(split::kParts)) {
    if (*splits <= 0) return fail(Code::kOpFailed, "the number of parts must be above 0, but is " + std::to_string(*splits));
    if (static_cast<size_t>(*splits) != count) {
      return fail(Code::kBadData,
                  std::to_string(*splits) + " parts are requested, but there are " + std::to_string(count) + " outputs");
    }
  }
  const Shape& input = operation.shape(split::kInput);
  Shape part = input;
  if (input.rank_known && axis) {
    NNVK_ASSIGN(const uint32_t index, normalize_axis(*axis, input.rank()));
    if (is_known(input[index])) {
      if (input[index] % count != 0) {
        return fail(Code::kOpFailed,
                    std::to_string(input[index]) + " elements cannot be split into " + std::to_string(count) + " parts");
      }
      part.dims[index] = static_cast<uint32_t>(input[index] / count);
    }
  } else if (input.rank_known) {
    part = unknown_dimensions(input.rank());
  }
  return std::vector<Shape>(count, part);
}

Shapes infer_transpose(const OperationView& operation) {
  NNVK_TRY(check_outputs_keep_quantization(operation));
  NNVK_TRY(check_rank(operation, transpose::kInput, 0, kMaxRank, Code::kOpFailed));
  NNVK_TRY(check_rank(operation, transpose::kPermutation, 1, 1, Code::kOpFailed));
  const Shape& input = operation.shape(transpose::kInput);
  if (!input.rank_known)
    return one(operation.has(transpose::kPermutation) ? unknown_dimensions_of_length(operation.shape(transpose::kPermutation))
                                                      : unknown_dimensions(2));
  if (operation.has(transpose::kPermutation) && !operation.values<int32_t>(transpose::kPermutation))
    return one(unknown_dimensions(input.rank()));
  NNVK_ASSIGN(const auto permutation, transpose_permutation(operation));
  Shape output = input;
  for (size_t i = 0; i < output.rank(); ++i) output.dims[i] = input[permutation[i]];
  return one(std::move(output));
}

Shapes infer_tile(const OperationView& operation) {
  NNVK_TRY(check_outputs_keep_quantization(operation));
  const Shape& input = operation.shape(tile::kInput);
  const auto multiples = operation.values<int32_t>(tile::kMultiples);
  if (!multiples)
    return one(input.rank_known ? unknown_dimensions(input.rank())
                                : unknown_dimensions_of_length(operation.shape(tile::kMultiples)));
  if (input.rank_known && multiples->size() != input.rank()) {
    return fail(Code::kOpFailed, "a tensor of rank " + std::to_string(input.rank()) + " needs as many multiples, but there are " +
                                     std::to_string(multiples->size()));
  }
  Shape output = unknown_dimensions(multiples->size());
  for (size_t i = 0; i < output.rank(); ++i) {
    const int32_t multiple = (*multiples)[i];
    if (multiple < 0)
      return fail(Code::kOpFailed, "multiple " + std::to_string(i) + " may not be negative, but is " + std::to_string(multiple));
    if (!input.rank_known || !is_known(input[i])) continue;
    NNVK_ASSIGN(output.dims[i], checked_dimension(int64_t{input[i]} * multiple, "a repeated dimension"));
  }
  return one(std::move(output));
}

Status check_reverse(const OperationView& operation) {
  const Shape& axis = operation.shape(reverse::kAxis);
  if (operation.has(reverse::kAxis) && axis.rank_known) {  // an omitted operand may have any shape
    NNVK_TRY(check_shape_rank(axis, input_name(reverse::kAxis), 1, 1, Code::kBadData));
    if (contradict(axis[0], 1)) return fail(Code::kBadData, "the axis tensor must have one element");
  }
  return check_output_repeats_input(operation);
}

Shapes infer_reverse(const OperationView& operation) {
  constexpr size_t kMaxReverseRank = 8;
  NNVK_TRY(check_rank(operation, reverse::kInput, 1, kMaxReverseRank, Code::kOpFailed));
  const Shape& input = operation.shape(reverse::kInput);
  if (const auto axis = operation.values<int32_t>(reverse::kAxis)) {
    if (axis->size() != 1) return fail(Code::kOpFailed, "the axis tensor must have one element");
    const int32_t value = axis->front();
    if (value < 0 || (input.rank_known && static_cast<size_t>(value) >= input.rank())) {
      return fail(Code::kOpFailed, "axis " + std::to_string(value) + " is outside the dimensions of " + input.to_string());
    }
  }
  return infer_same_as_input(operation);
}

Shapes infer_fill(const OperationView& operation) {
  NNVK_TRY(check_rank(operation, fill::kDimensions, 1, 1, Code::kOpFailed));
  const auto dims = operation.values<int32_t>(fill::kDimensions);
  if (!dims) return one(unknown_dimensions_of_length(operation.shape(fill::kDimensions)));
  Shape output;
  for (const int32_t dimension : *dims) {
    NNVK_ASSIGN(const uint32_t size, checked_dimension(dimension, "a dimension"));
    output.dims.push_back(size);
  }
  return one(std::move(output));
}

Shapes infer_rank_of(const OperationView&) { return one(Shape{}); }

constexpr auto kReshapeRules = rules<In<kT, kTensorInt32>, Out<kT>, Reals<1>, Since<6, kTensorInt32>>;
constexpr auto kFillRules = rules<In<kTensorInt32, kTElement>, Out<kT>, Since<4, kTensorFloat16, kTensorFloat32, kTensorInt32>>;
constexpr auto kRankRules =
    rules<In<kT>, Out<kInt32>, Numbers<4>,
          Since<4, kTensorQuant16Symm, kTensorBool8, kTensorQuant8SymmPerChannel, kTensorQuant16Asymm, kTensorQuant8Symm>>;
constexpr auto kSplitRules = rules<In<kT, kInt32, kInt32>, Out<kT>, Numbers<3>>;
constexpr Signature kSplit[] = {{.since = 3, .input_counts = counts<3>, .output_count = 0, .type_rules = kSplitRules}};

constexpr auto kMovements = rows<Cost::kMovement, layout::fixed>({
    {.code = Op::kReshape,
     .signatures = only<kReshapeRules>,
     .parameter_tensors = bits(reshape::kShape),
     .bad_operand_code = Code::kBadData,
     .check = check_rank4,
     .infer = infer_reshape},
    {.code = Op::kSqueeze,
     .signatures = only<rules<In<kT, kTensorInt32>, Out<kT>, Reals<2>>>,
     .optional_inputs = bits(squeeze::kAxes),
     .parameter_tensors = bits(squeeze::kAxes),
     .check = check_rank4,
     .infer = infer_squeeze},
    {.code = Op::kExpandDims,
     .signatures = only<rules<In<kT, kInt32>, Out<kT>, Numbers<3>>>,
     .bad_operand_code = Code::kBadData,
     .infer = infer_expand_dims},
    {.code = Op::kSplit, .signatures = kSplit, .bad_operand_code = Code::kBadData, .infer = infer_split},
    {.code = Op::kTranspose,
     .signatures = only<rules<In<kT, kTensorInt32>, Out<kT>, Reals<2>>>,
     .optional_inputs = bits(transpose::kPermutation),
     .parameter_tensors = bits(transpose::kPermutation),
     .accepts_empty_inputs = true,
     .check = check_rank4,
     .infer = infer_transpose},
    {.code = Op::kTile,
     .signatures = only<rules<In<kT, kTensorInt32>, Out<kT>, Numbers<3>>>,
     .parameter_tensors = bits(tile::kMultiples),
     .bad_operand_code = Code::kBadData,
     .infer = infer_tile},
    {.code = Op::kReverse,
     .signatures = only<rules<In<kT, kTensorInt32>, Out<kT>, Numbers<7>>>,
     .parameter_tensors = bits(reverse::kAxis),
     .check = check_reverse,
     .infer = infer_reverse},
    {.code = Op::kFill, .signatures = only<kFillRules>, .parameter_tensors = bits(fill::kDimensions), .infer = infer_fill},
});
constexpr auto kRanks = rows<Cost::kOther, layout::fixed>({
    {.code = Op::kRank, .signatures = only<kRankRules>, .shape_only_inputs = bits(data_movement::kInput), .infer = infer_rank_of},
});
constexpr auto kRows = joined(kMovements, kRanks);

}  // namespace

std::span<const OperationDefinition> data_movement_operations() { return kRows; }

}  // namespace nnvk
