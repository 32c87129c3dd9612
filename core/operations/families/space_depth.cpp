// DEPTH_TO_SPACE, SPACE_TO_DEPTH, BATCH_TO_SPACE_ND, SPACE_TO_BATCH_ND and CHANNEL_SHUFFLE move elements between dimensions.
#include "core/operations/families/row_syntax.h"
#include "core/operations/parameters/space_depth_parameters.h"

namespace nnvk {
namespace {
using namespace row;

// Returns dimension * factor, without overflow; unknown for an unknown dimension.
Result<uint32_t> times(uint32_t dimension, int64_t factor, const char* what) {
  if (!is_known(dimension)) return kUnknownDimension;
  // A factor beyond this one gives more than 2^32-1 elements with any dimension.
  constexpr int64_t kLargestFactor = int64_t{1} << 31;
  if (factor > kLargestFactor) return fail(Code::kOpFailed, std::string(what) + " exceeds 2147483647");
  return checked_dimension(int64_t{dimension} * factor, what);
}

// Returns dimension / divisor, or an error if a remainder is left.
Result<uint32_t> exact_quotient(int64_t dimension, int64_t divisor, const char* what) {
  if (dimension == kUnknownDimension) return kUnknownDimension;
  if (dimension % divisor != 0) {
    return fail(Code::kOpFailed,
                std::string(what) + " " + std::to_string(dimension) + " is not divisible by " + std::to_string(divisor));
  }
  return checked_dimension(dimension / divisor, what);
}

Shapes infer_blocks(const OperationView& operation) {
  NNVK_TRY(check_rank(operation, space_depth::kInput, 4, 4, Code::kOpFailed));
  NNVK_TRY(check_outputs_keep_quantization(operation));
  NNVK_ASSIGN(const auto blocks, block_parameters(operation));
  const Shape& input = operation.shape(space_depth::kInput);
  if (!blocks || !input.rank_known) return one(unknown_dimensions(4));
  const LayoutAxes at = layout_axes(blocks->nchw);
  const int64_t area = blocks->height * blocks->width;
  const bool of_depth = operation.code == OperationCode::kDepthToSpace || operation.code == OperationCode::kSpaceToDepth;
  Shape output = input;
  uint32_t& height = output.dims[at.height];
  uint32_t& width = output.dims[at.width];
  uint32_t& traded = output.dims[of_depth ? at.channels : 0];  // the dimension that is exchanged for height and width
  if (operation.code == OperationCode::kDepthToSpace || operation.code == OperationCode::kBatchToSpaceNd) {
    NNVK_ASSIGN(traded, exact_quotient(traded, area, of_depth ? "the number of channels" : "the batch size"));
    NNVK_ASSIGN(height, times(height, blocks->height, "the output height"));
    NNVK_ASSIGN(width, times(width, blocks->width, "the output width"));
    return one(std::move(output));
  }
  const auto padded = [&](size_t d) -> int64_t {
    return is_known(input[d]) ? int64_t{input[d]} + blocks->paddings[d].before + blocks->paddings[d].after : kUnknownDimension;
  };
  NNVK_ASSIGN(traded, times(traded, area, of_depth ? "the number of output channels" : "the output batch size"));
  NNVK_ASSIGN(height, exact_quotient(padded(at.height), blocks->height, "the padded height"));
  NNVK_ASSIGN(width, exact_quotient(padded(at.width), blocks->width, "the padded width"));
  return one(std::move(output));
}

Shapes infer_channel_shuffle(const OperationView& operation) {
  NNVK_TRY(check_rank(operation, channel_shuffle::kInput, 1, 4, Code::kOpFailed));
  NNVK_TRY(check_outputs_keep_quantization(operation));
  const Shape& input = operation.shape(channel_shuffle::kInput);
  const auto groups = operation.scalar<int32_t>(channel_shuffle::kGroups);
  const auto axis = operation.scalar<int32_t>(channel_shuffle::kAxis);
  if (groups && *groups <= 0)
    return fail(Code::kOpFailed, "the number of groups must be above 0, but is " + std::to_string(*groups));
  if (axis && input.rank_known) {
    NNVK_ASSIGN(const uint32_t index, normalize_axis(*axis, input.rank()));
    if (groups) NNVK_TRY(exact_quotient(input[index], *groups, "the size of the axis"));
  }
  return infer_same_as_input(operation);
}

// Signatures with and without the layout flag differ only in their number of inputs: level 3 added the flag and its type BOOL.
constexpr auto kSquareRules = rules<In<kT, kInt32, kBool>, Out<kT>, Reals<1>>;
constexpr auto kBatchToSpaceRules = rules<In<kT, kTensorInt32, kBool>, Out<kT>, Reals<2>>;
constexpr auto kSpaceToBatchRules = rules<In<kT, kTensorInt32, kTensorInt32, kBool>, Out<kT>, RealsWhere<2, has_zero_point_0>>;

constexpr OperationRules block_row(OperationCode code, std::span<const Signature> signatures, ParameterMask parameters) {
  return {.code = code,
          .signatures = signatures,
          .parameter_tensors = parameters,
          .bad_operand_code = Code::kBadData,
          .infer = infer_blocks};
}

constexpr auto kBlocks = rows<Cost::kMovement, layout::flagged<depth_to_space::kLayout>>({
    block_row(Op::kDepthToSpace, only<kSquareRules, 2, 3>, 0),
    block_row(Op::kSpaceToDepth, only<kSquareRules, 2, 3>, 0),
    block_row(Op::kBatchToSpaceNd, only<kBatchToSpaceRules, 2, 3>, bits(batch_to_space::kBlockShape)),
});
constexpr auto kPaddedBlocks = rows<Cost::kMovement, layout::flagged<space_to_batch::kLayout>>({
    block_row(Op::kSpaceToBatchNd, only<kSpaceToBatchRules, 3, 4>, bits(space_to_batch::kBlockShape, space_to_batch::kPaddings)),
});
constexpr auto kShuffles = rows<Cost::kMovement, layout::fixed>({
    {.code = Op::kChannelShuffle,
     .signatures = only<rules<In<kT, kInt32, kInt32>, Out<kT>, Reals<3>>>,
     .check = check_rank4,
     .infer = infer_channel_shuffle},
});
constexpr auto kRows = joined(kBlocks, kPaddedBlocks, kShuffles);

}  // namespace

std::span<const OperationDefinition> space_depth_operations() { return kRows; }

}  // namespace nnvk
