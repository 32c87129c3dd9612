// SLICE, STRIDED_SLICE, PAD, PAD_V2 and MIRROR_PAD. Kernels move elements by their width, whatever their type.
#include "core/operations/parameters/slicing_padding_parameters.h"
#include "shaders/data_movement_params.h"
#include "vulkan/kernels/emit_common.h"
#include "vulkan/kernels/families.h"
#include "vulkan/kernels/move_dispatch.h"

namespace nnvk::vulkan {
namespace {
using namespace slicing_padding;

// Returns the move of the input into the middle of the output; the caller sets what fills the rest.
Result<Move> padded_move(const EmitContext& context) {
  NNVK_TRY(check_addressable(context.input(kInput)));
  NNVK_TRY(check_addressable(context.output(kOutput)));
  NNVK_ASSIGN(const std::vector<PaddingPair> pairs, context.decode(padding_pairs));
  return Move{.from = context.input_id(kInput),
              .to = context.output_id(kOutput),
              .type = context.output(kOutput).type,
              .axes = padded_axes(context.input(kInput).shape, pairs)};
}

Status emit_pad(const EmitContext& context) {
  NNVK_ASSIGN(Move move, padded_move(context));
  NNVK_ASSIGN(move.fill, context.decode(padding_element));
  return emit_move(context, move);
}

// Emits a copy with mirrored borders; dimensions without padding merge with their neighbours.
Status emit_mirror_pad(const EmitContext& context) {
  NNVK_ASSIGN(const Move ends, padded_move(context));
  NNVK_ASSIGN(const bool reflects, context.decode(mirrors_without_border));
  const int32_t border = reflects ? kBorderReflect : kBorderSymmetric;
  std::vector<TableAxis> axes;
  for (auto at = ends.axes.rbegin(); at != ends.axes.rend(); ++at) {  // innermost first
    const MoveAxis& axis = *at;
    const bool plain = axis.size == axis.inside;
    if (plain && !axes.empty() && axes.back().axis.size == axes.back().axis.inside) {
      axes.back().axis.size *= axis.size;
      axes.back().axis.inside *= axis.size;
    } else {
      axes.push_back({axis, border});
    }
  }
  return emit_table_move(context, ends, axes);
}

}  // namespace

constinit const EmitterRows slicing_padding_emitters = {
    {OperationCode::kSlice, nullptr, emit_rearrangement},
    {OperationCode::kStridedSlice, nullptr, emit_rearrangement},
    {OperationCode::kPad, nullptr, emit_pad},
    {OperationCode::kPadV2, nullptr, emit_pad},
    {OperationCode::kMirrorPad, nullptr, emit_mirror_pad},
};

}  // namespace nnvk::vulkan
