// Rows of the operations that move elements between space, depth and batch: DEPTH_TO_SPACE, SPACE_TO_DEPTH, BATCH_TO_SPACE_ND,
// SPACE_TO_BATCH_ND, CHANNEL_SHUFFLE.
#include <array>

#include "core/operations/families/families.h"
#include "core/operations/families/row_syntax.h"
#include "core/operations/rules/shape_rules.h"

namespace nnvk {
namespace {
using namespace row;

// dimension * factor, exactly; unknown stays unknown.
Result<uint32_t> times(uint32_t dimension, int64_t factor, const char* what) {
  if (!is_known(dimension)) return kUnknownDimension;
  // A factor beyond this gives more than 2^32-1 elements with any dimension.
  constexpr int64_t kLargestFactor = int64_t{1} << 31;
  if (factor > kLargestFactor) return fail(Code::kOpFailed, std::string(what) + " exceeds 2147483647");
  return checked_dimension(int64_t{dimension} * factor, what, Code::kOpFailed);
}

// dimension / divisor when that divides without rest.
Result<uint32_t> exact_quotient(int64_t dimension, int64_t divisor, const char* what) {
  if (dimension == kUnknownDimension) return kUnknownDimension;
  if (dimension % divisor != 0) {
    return fail(Code::kOpFailed,
                std::string(what) + " " + std::to_string(dimension) + " is not divisible by " + std::to_string(divisor));
  }
  return checked_dimension(dimension / divisor, what, Code::kOpFailed);
}

// Rank, quantization and layout of input 0; nullopt: the output's dimensions cannot be known yet.
Result<std::optional<LayoutAxes>> axes_of_input(const OperationView& operation, size_t layout_input) {
  NNVK_TRY(check_rank(operation, 0, 4, 4, Code::kOpFailed));
  NNVK_TRY(check_outputs_keep_quantization(operation));
  const auto nchw = layout_is_nchw(operation, layout_input);
  if (!nchw || !operation.shape(0).rank_known) return std::nullopt;
  return layout_axes(*nchw);
}

Result<std::optional<int64_t>> block_size(const OperationView& operation) {
  const auto block = operation.scalar<int32_t>(1);
  if (!block) return std::nullopt;
  if (*block <= 0) return fail(Code::kOpFailed, "the block size is " + std::to_string(*block));
  return *block;
}

Shapes infer_depth_to_space(const OperationView& operation) {
  NNVK_ASSIGN(const auto axes, axes_of_input(operation, 2));
  NNVK_ASSIGN(const auto block, block_size(operation));
  if (!axes || !block) return std::vector<Shape>{unknown_dimensions(4)};
  Shape output = operation.shape(0);
  NNVK_ASSIGN(output.dims[axes->channels], exact_quotient(output[axes->channels], *block * *block, "the number of channels"));
  NNVK_ASSIGN(output.dims[axes->height], times(output[axes->height], *block, "the output height"));
  NNVK_ASSIGN(output.dims[axes->width], times(output[axes->width], *block, "the output width"));
  return std::vector<Shape>{output};
}

Shapes infer_space_to_depth(const OperationView& operation) {
  NNVK_ASSIGN(const auto axes, axes_of_input(operation, 2));
  NNVK_ASSIGN(const auto block, block_size(operation));
  if (!axes || !block) return std::vector<Shape>{unknown_dimensions(4)};
  Shape output = operation.shape(0);
  NNVK_ASSIGN(output.dims[axes->height], exact_quotient(output[axes->height], *block, "the height"));
  NNVK_ASSIGN(output.dims[axes->width], exact_quotient(output[axes->width], *block, "the width"));
  NNVK_ASSIGN(output.dims[axes->channels], times(output[axes->channels], *block * *block, "the number of output channels"));
  return std::vector<Shape>{output};
}

// The two block sizes [height, width] of input 1; nullopt when unknown.
Result<std::optional<std::array<int64_t, 2>>> block_shape(const OperationView& operation) {
  NNVK_TRY(check_rank(operation, 1, 1, 1, Code::kOpFailed));
  const auto values = operation.values<int32_t>(1);
  if (!values) return std::nullopt;
  if (values->size() != 2)
    return fail(Code::kOpFailed, "the block shape has " + std::to_string(values->size()) + " entries instead of 2");
  for (const int32_t size : *values) {
    if (size < 1) return fail(Code::kOpFailed, "the block shape holds " + std::to_string(size));
  }
  return std::array<int64_t, 2>{(*values)[0], (*values)[1]};
}

Shapes infer_batch_to_space(const OperationView& operation) {
  NNVK_ASSIGN(const auto axes, axes_of_input(operation, 2));
  NNVK_ASSIGN(const auto block, block_shape(operation));
  if (!axes || !block) return std::vector<Shape>{unknown_dimensions(4)};
  const auto [block_height, block_width] = *block;
  Shape output = operation.shape(0);
  NNVK_ASSIGN(output.dims[0], exact_quotient(output[0], block_height * block_width, "the batch size"));
  NNVK_ASSIGN(output.dims[axes->height], times(output[axes->height], block_height, "the output height"));
  NNVK_ASSIGN(output.dims[axes->width], times(output[axes->width], block_width, "the output width"));
  return std::vector<Shape>{output};
}

Shapes infer_space_to_batch(const OperationView& operation) {
  NNVK_ASSIGN(const auto axes, axes_of_input(operation, 3));
  NNVK_ASSIGN(const auto block, block_shape(operation));
  NNVK_TRY(check_rank(operation, 2, 2, 2, Code::kOpFailed));
  const Shape& paddings_shape = operation.shape(2);
  if (paddings_shape.rank_known && (contradict(paddings_shape[0], 2) || contradict(paddings_shape[1], 2))) {
    return fail(Code::kOpFailed, "paddings have shape " + paddings_shape.to_string() + " instead of [2, 2]");
  }
  const auto paddings = operation.values<int32_t>(2);
  if (paddings) {
    if (paddings->size() != 4) return fail(Code::kOpFailed, "paddings need 4 entries");
    for (const int32_t padding : *paddings) {
      if (padding < 0) return fail(Code::kOpFailed, "a padding is " + std::to_string(padding));
    }
  }
  if (!axes || !block || !paddings) return std::vector<Shape>{unknown_dimensions(4)};
  const auto [block_height, block_width] = *block;
  Shape output = operation.shape(0);
  const auto padded = [&](size_t axis, size_t first) -> int64_t {
    return is_known(output[axis]) ? int64_t{output[axis]} + (*paddings)[first] + (*paddings)[first + 1] : kUnknownDimension;
  };
  NNVK_ASSIGN(output.dims[0], times(output[0], block_height * block_width, "the output batch size"));
  NNVK_ASSIGN(output.dims[axes->height], exact_quotient(padded(axes->height, 0), block_height, "the padded height"));
  NNVK_ASSIGN(output.dims[axes->width], exact_quotient(padded(axes->width, 2), block_width, "the padded width"));
  return std::vector<Shape>{output};
}

constexpr size_t kMaxShuffleRank = 4;

Status check_channel_shuffle(const OperationView& operation) {
  return check_rank(operation, 0, 0, kMaxShuffleRank, Code::kBadData);
}

Shapes infer_channel_shuffle(const OperationView& operation) {
  NNVK_TRY(check_rank(operation, 0, 1, kMaxShuffleRank, Code::kOpFailed));
  NNVK_TRY(check_outputs_keep_quantization(operation));
  const Shape& input = operation.shape(0);
  const auto groups = operation.scalar<int32_t>(1);
  const auto axis = operation.scalar<int32_t>(2);
  if (groups && *groups <= 0) return fail(Code::kOpFailed, "the number of groups is " + std::to_string(*groups));
  if (axis && input.rank_known) {
    NNVK_ASSIGN(const uint32_t index, normalize_axis(*axis, input.rank(), Code::kOpFailed));
    if (groups) NNVK_TRY(exact_quotient(input[index], *groups, "the size of the axis"));
  }
  return infer_same_as_input(operation);
}

// Signatures with and without the layout flag differ in their number of inputs only: the types form one prefix.
constexpr TypeRule kBlockSizeRules[] = {
    moved<kTensorFloat32, kInt32, kBool>(1),
    moved<kTensorQuant8Asymm, kInt32, kBool>(1),
    moved<kTensorFloat16, kInt32, kBool>(3),
    moved<kTensorQuant8AsymmSigned, kInt32, kBool>(4),
};
constexpr TypeRule kBatchToSpaceRules[] = {
    moved<kTensorFloat32, kTensorInt32, kBool>(2),
    moved<kTensorQuant8Asymm, kTensorInt32, kBool>(2),
    moved<kTensorFloat16, kTensorInt32, kBool>(3),
    moved<kTensorQuant8AsymmSigned, kTensorInt32, kBool>(4),
};

constexpr TypeRule kSpaceToBatchRules[] = {
    moved<kTensorFloat32, kTensorInt32, kTensorInt32, kBool>(2),
    {2, types<kTensorQuant8Asymm, kTensorInt32, kTensorInt32, kBool>, types<kTensorQuant8Asymm>, has_zero_point_0},
    moved<kTensorQuant8Asymm, kTensorInt32, kTensorInt32, kBool>(3),
    moved<kTensorFloat16, kTensorInt32, kTensorInt32, kBool>(3),
    moved<kTensorQuant8AsymmSigned, kTensorInt32, kTensorInt32, kBool>(4),
};
constexpr TypeRule kChannelShuffleRules[] = {
    moved<kTensorFloat16, kInt32, kInt32>(3),
    moved<kTensorFloat32, kInt32, kInt32>(3),
    moved<kTensorQuant8Asymm, kInt32, kInt32>(3),
    moved<kTensorQuant8AsymmSigned, kInt32, kInt32>(4),
};

// The layout flag came with level 3, as did its type BOOL.
constexpr Signature kBlockSize[] = {{.since = 1, .input_counts = counts<2, 3>, .type_rules = kBlockSizeRules}};
constexpr Signature kBatchToSpace[] = {{.since = 2, .input_counts = counts<2, 3>, .type_rules = kBatchToSpaceRules}};
constexpr Signature kSpaceToBatch[] = {{.since = 2, .input_counts = counts<3, 4>, .type_rules = kSpaceToBatchRules}};
constexpr Signature kChannelShuffle[] = {{.since = 3, .input_counts = counts<3>, .type_rules = kChannelShuffleRules}};

constexpr OperationDefinition kRows[] = {
    {.code = OperationCode::kDepthToSpace,
     .since = 1,
     .signatures = kBlockSize,
     .bad_operand_code = Code::kBadData,
     .infer = infer_depth_to_space},
    {.code = OperationCode::kSpaceToDepth,
     .since = 1,
     .signatures = kBlockSize,
     .bad_operand_code = Code::kBadData,
     .infer = infer_space_to_depth},
    {.code = OperationCode::kBatchToSpaceNd,
     .since = 2,
     .signatures = kBatchToSpace,
     .parameter_tensors = bits(1),
     .bad_operand_code = Code::kBadData,
     .infer = infer_batch_to_space},
    {.code = OperationCode::kSpaceToBatchNd,
     .since = 2,
     .signatures = kSpaceToBatch,
     .parameter_tensors = bits(1, 2),
     .bad_operand_code = Code::kBadData,
     .infer = infer_space_to_batch},
    {.code = OperationCode::kChannelShuffle,
     .since = 3,
     .signatures = kChannelShuffle,
     .check = check_channel_shuffle,
     .infer = infer_channel_shuffle},
};

}  // namespace

std::span<const OperationDefinition> space_depth_operations() { return kRows; }

}  // namespace nnvk
