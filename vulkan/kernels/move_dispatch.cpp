#include "vulkan/kernels/move_dispatch.h"

#include <limits>
#include <string>

#include "cast_quantize_kernels.h"
#include "core/operations/parameters/data_movement_parameters.h"
#include "data_movement_kernels.h"
#include "vulkan/kernels/emit_common.h"

namespace nnvk::vulkan {
namespace {
using namespace data_movement;

constexpr size_t kMaximumRank = 8;        // strides that fit the push constants
constexpr size_t kMaximumPaddedRank = 4;  // with begins and sizes as well

uint64_t elements_of(const std::vector<MoveAxis>& axes) {
  uint64_t elements = 1;
  for (const MoveAxis& axis : axes) elements *= axis.size;
  return elements;
}

}  // namespace

Status check_addressable(const OperandInfo& info) {
  if (element_count(info) <= static_cast<uint64_t>(std::numeric_limits<int32_t>::max())) return {};
  return beyond_device("a tensor of " + std::to_string(element_count(info)) + " elements is larger than the kernels address");
}

Status emit_block_copy(const EmitContext& context, uint64_t blocks) {
  if (blocks == 0) return {};
  auto dispatch =
      make_dispatch(context, kernels::kCopyBlocks, {},
                    {.in_x = read_bytes16(context.input_id(kInput)), .out_y = write_words(context.output_id(kOutput))},
                    {static_cast<uint>(blocks), 1.0F, 0, 1, 1});
  return add_flat(context, std::move(dispatch), blocks);
}

Status emit_move(const EmitContext& context, const Move& ends) {
  const StridedMove move = plan_move(ends.axes, ends.first);
  const bool padded = move.padded();
  if (move.axes.size() > (padded ? kMaximumPaddedRank : kMaximumRank)) {
    const StridedMove merged = merge_axes(ends.axes, ends.first);
    std::vector<TableAxis> axes;
    for (const MoveAxis& axis : merged.axes) axes.push_back({axis, kBorderFill});
    return emit_table_move(context, ends, axes);
  }
  const uint64_t elements = elements_of(ends.axes);
  MoveParams params{};
  params.units = static_cast<uint>(move.by_quads ? elements / 4 : elements);
  params.offset = static_cast<int>(move.offset);
  params.fill = ends.fill;
  for (size_t d = 0; d < move.axes.size(); ++d) {
    const MoveAxis& axis = move.axes[d];
    if (d + 1 < move.axes.size()) params.dims[d] = axis.size;
    params.strides[d] = static_cast<int>(axis.stride);
    if (!padded) continue;
    params.begins[d] = axis.begin;
    params.sizes[d] = axis.inside;
  }
  const OperandType raw = raw_element_type(ends.type);
  auto dispatch = make_dispatch(context, move.by_quads ? kernels::kMoveQuads : kernels::kMoveElements,
                                {.type = element_type(raw), .rank = static_cast<uint32_t>(move.axes.size()), .padded = padded},
                                {.in_x = read_elements(ends.from, raw, move.by_quads), .out_y = write_words(ends.to)}, params);
  dispatch.choice = std::string(move.by_quads ? "four elements lie side by side before and after"
                                              : "four neighbours come from different places") +
                    (padded ? "; some lie outside of the source" : "");
  return add_flat(context, std::move(dispatch), divide_up(elements, 4));
}

Status emit_table_move(const EmitContext& context, const Move& ends, const std::vector<TableAxis>& axes) {
  const uint64_t elements = elements_of(ends.axes);
  std::vector<int32_t> words;
  for (const TableAxis& entry : axes) {
    const MoveAxis& axis = entry.axis;
    for (const int64_t word : {int64_t{axis.size}, axis.stride, int64_t{axis.begin}, int64_t{axis.inside}}) {
      words.push_back(static_cast<int32_t>(word));
    }
    words.push_back(entry.border);
  }
  const TensorId table = context.dispatches.table("axes", to_bytes(words));
  const OperandType raw = raw_element_type(ends.type);
  auto dispatch =
      make_dispatch(context, kernels::kMoveByTable, {.type = element_type(raw)},
                    {.in_x = read_scalars(ends.from, raw), .in_axes = read_words(table), .out_y = write_words(ends.to)},
                    {static_cast<uint>(elements), static_cast<int>(ends.first), ends.fill, static_cast<uint>(axes.size())});
  dispatch.choice = "more axes than parameters hold, or a border that mirrors: the axes are in a table";
  return add_flat(context, std::move(dispatch), divide_up(elements, 4));
}

Status emit_rearranged(const EmitContext& context, TensorId from, TensorId to, OperandType type, const Rearrangement& walk) {
  Move move{from, to, type, {}, walk.first, 0};
  for (const WalkedAxis& axis : walk.axes) move.axes.push_back({axis.size, axis.stride, 0, axis.size});
  return emit_move(context, move);
}

Status emit_rearrangement(const EmitContext& context) {
  if (element_count(context.output(kOutput)) == 0) return {};
  NNVK_TRY(check_addressable(context.input(kInput)));
  NNVK_TRY(check_addressable(context.output(kOutput)));
  NNVK_ASSIGN(const Rearrangement walk, context.decode(rearrangement));
  return emit_rearranged(context, context.input_id(kInput), context.output_id(kOutput), context.input(kInput).type, walk);
}

}  // namespace nnvk::vulkan
