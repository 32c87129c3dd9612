// RESHAPE, SQUEEZE, EXPAND_DIMS, TRANSPOSE, SPLIT, TILE, REVERSE, FILL and RANK. Elements are moved by their width, whatever
// their type.
#include "cast_quantize_kernels.h"
#include "core/operations/parameters/data_movement_parameters.h"
#include "data_movement_kernels.h"
#include "shaders/cast_quantize_params.h"
#include "shaders/data_movement_params.h"
#include "vulkan/kernels/emit_common.h"
#include "vulkan/kernels/families.h"
#include "vulkan/kernels/move_dispatch.h"

namespace nnvk::vulkan {
namespace {

// RESHAPE, SQUEEZE and EXPAND_DIMS that could not become views.
Status emit_copy(const EmitContext& context, DispatchList& dispatches) {
  const OperandInfo& output = context.output(0);
  const uint64_t blocks = divide_up(element_count(output) * element_size(output.type), 16);
  if (blocks == 0) return {};
  Dispatch dispatch;
  dispatch.kernel = kernels::kCopyBlocks;
  dispatch.bindings = {read_bytes16(context.input_id(0)), write_words(context.output_id(0))};
  dispatch.set_params(CastParams{static_cast<uint>(blocks), 1.0F, 0, 1, 1});
  return add_flat_dispatch(context, std::move(dispatch), blocks, dispatches);
}

Status emit_transpose(const EmitContext& context, DispatchList& dispatches) {
  if (element_count(context.output(0)) == 0) return {};
  const NodeView view = context.resolution.view(context.plan, context.node);
  NNVK_ASSIGN(const std::vector<uint32_t> permutation, transpose_permutation(view.view()));
  const Shape& input = context.input(0).shape;
  const std::vector<int64_t> strides = row_major_strides(input);
  std::vector<MoveAxis> axes;
  for (const uint32_t from : permutation) axes.push_back({input[from], strides[from], 0, input[from]});
  return emit_moved(context, std::move(axes), 0, 0, dispatches);
}

Status emit_split(const EmitContext& context, DispatchList& dispatches) {
  NNVK_TRY(check_addressable(context.input(0)));
  const NodeView view = context.resolution.view(context.plan, context.node);
  for (size_t part = 0; part < context.node.outputs.size(); ++part) {
    NNVK_ASSIGN(const Rearrangement walk, split_part(view.view(), part));
    NNVK_TRY(emit_rearranged(context, context.input_id(0), context.output_id(part), context.input(0).type, walk, dispatches));
  }
  return {};
}

// Writes one element of `width` bytes to the whole of output 0.
Status emit_value(const EmitContext& context, uint32_t element, size_t width, DispatchList& dispatches) {
  const uint64_t blocks = divide_up(element_count(context.output(0)) * width, 16);
  if (blocks == 0) return {};
  Dispatch dispatch;
  dispatch.kernel = kernels::kFill;
  dispatch.bindings = {write_words(context.output_id(0))};
  dispatch.set_params(FillParams{static_cast<uint>(blocks), width == 2 ? element << 16 | (element & 0xFFFFU) : element});
  return add_flat_dispatch(context, std::move(dispatch), blocks, dispatches);
}

Status emit_fill(const EmitContext& context, DispatchList& dispatches) {
  const size_t width = element_size(context.output(0).type);
  const uint32_t element = width == 2 ? context.scalar<uint16_t>(1, 0) : context.scalar<uint32_t>(1, 0);
  return emit_value(context, element, width, dispatches);
}

Status emit_rank(const EmitContext& context, DispatchList& dispatches) {
  return emit_value(context, static_cast<uint32_t>(context.input(0).shape.rank()), sizeof(int32_t), dispatches);
}

constexpr KernelEmitter kEmitters[] = {
    {OperationCode::kReshape, nullptr, emit_copy},
    {OperationCode::kSqueeze, nullptr, emit_copy},
    {OperationCode::kExpandDims, nullptr, emit_copy},
    {OperationCode::kTranspose, nullptr, emit_transpose},
    {OperationCode::kSplit, nullptr, emit_split},
    {OperationCode::kTile, nullptr, emit_rearrangement},
    {OperationCode::kReverse, nullptr, emit_rearrangement},
    {OperationCode::kFill, nullptr, emit_fill},
    {OperationCode::kRank, nullptr, emit_rank},
};

}  // namespace

std::span<const KernelEmitter> data_movement_emitters() { return kEmitters; }

}  // namespace nnvk::vulkan
