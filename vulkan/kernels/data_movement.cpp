// Kernels move elements by their width, whatever their type.
#include "core/operations/parameters/data_movement_parameters.h"
#include "data_movement_kernels.h"
#include "vulkan/kernels/emit_common.h"
#include "vulkan/kernels/families.h"
#include "vulkan/kernels/move_dispatch.h"

namespace nnvk::vulkan {
namespace {
using namespace data_movement;

// Emits RESHAPE, SQUEEZE and EXPAND_DIMS nodes that could not become views.
Status emit_copy(const EmitContext& context) {
  const OperandInfo& output = context.output(kOutput);
  return emit_block_copy(context, divide_up(element_count(output) * element_size(output.type), 16));
}

Status emit_split(const EmitContext& context) {
  NNVK_TRY(check_addressable(context.input(kInput)));
  for (size_t part = 0; part < context.node.outputs.size(); ++part) {
    NNVK_ASSIGN(const Rearrangement walk,
                context.decode([part](const OperationView& operation) { return split_part(operation, part); }));
    NNVK_TRY(emit_rearranged(context, context.input_id(kInput), context.output_id(part), context.input(kInput).type, walk));
  }
  return {};
}

// Fills the whole output with one element of `width` bytes.
Status emit_value(const EmitContext& context, uint32_t element, size_t width) {
  const uint64_t blocks = divide_up(element_count(context.output(kOutput)) * width, 16);
  if (blocks == 0) return {};
  auto dispatch = make_dispatch(context, kernels::kFill, {}, {.out_y = write_words(context.output_id(kOutput))},
                                {static_cast<uint>(blocks), width == 2 ? element << 16 | (element & 0xFFFFU) : element});
  return add_flat(context, std::move(dispatch), blocks);
}

Status emit_fill(const EmitContext& context) {
  const size_t width = element_size(context.output(kOutput).type);
  NNVK_ASSIGN(const int32_t element, context.decode(fill_element));
  return emit_value(context, static_cast<uint32_t>(element), width);
}

Status emit_rank(const EmitContext& context) {
  return emit_value(context, static_cast<uint32_t>(context.input(kInput).shape.rank()), sizeof(int32_t));
}

}  // namespace

constinit const EmitterRows data_movement_emitters = {
    {OperationCode::kReshape, nullptr, emit_copy},
    {OperationCode::kSqueeze, nullptr, emit_copy},
    {OperationCode::kExpandDims, nullptr, emit_copy},
    {OperationCode::kTranspose, nullptr, emit_rearrangement},
    {OperationCode::kSplit, nullptr, emit_split},
    {OperationCode::kTile, nullptr, emit_rearrangement},
    {OperationCode::kReverse, nullptr, emit_rearrangement},
    {OperationCode::kFill, nullptr, emit_fill},
    {OperationCode::kRank, nullptr, emit_rank},
};

}  // namespace nnvk::vulkan
