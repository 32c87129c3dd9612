#include "vulkan/kernels/sequence_join.h"

#include <vector>

#include "lstm_kernels.h"
#include "vulkan/kernels/emit_common.h"

namespace nnvk::vulkan {

Status emit_join(const EmitContext& context, size_t output, const Sequence& a, const Sequence& b) {
  constexpr OperandType kFloat = OperandType::kTensorFloat32;
  LstmJoinParams params{};
  const uint64_t count = element_count(context.output(output));
  params.count = static_cast<uint>(count);
  params.quads = static_cast<uint>(divide_up(count, 4));
  params.width = context.output(output).shape.dims.back();
  params.width_a = a.width;
  params.width_b = b.width;
  auto dispatch = make_dispatch(context, kernels::kLstmJoin, {.type = element_type(context.output(output).type)},
                                {.in_a = read_scalars(a.tensor, kFloat),
                                 .in_b = read_scalars(b.tensor, kFloat),
                                 .out_y = write_words(context.output_id(output))},
                                params);
  dispatch.label = operation_name(context.node.code) + " output " + std::to_string(output);
  return add_flat(context, std::move(dispatch), params.quads);
}

Status emit_directions(const EmitContext& context, std::span<const DirectionOutput> directions, uint64_t rows,
                       const std::function<Status(size_t, const Sequence&)>& emit) {
  const bool merged = directions.size() > 1 && directions[0].output == directions[1].output;
  const bool direct = !merged && context.output(directions.front().output).type ==
                                     OperandType::kTensorFloat32;  // else steps write float32 to a scratch tensor
  std::vector<Sequence> sequences;
  for (size_t i = 0; i < directions.size(); ++i) {
    Sequence sequence{context.output_id(directions[i].output), directions[i].width};
    if (!direct) sequence.tensor = context.dispatches.scratch(rows * sequence.width * sizeof(float));
    sequences.push_back(sequence);
    NNVK_TRY(emit(i, sequence));
  }
  if (merged) return emit_join(context, directions[0].output, sequences[0], sequences[1]);
  for (size_t i = 0; i < sequences.size() && !direct; ++i) {
    NNVK_TRY(emit_join(context, directions[i].output, sequences[i], {}));
  }
  return {};
}

}  // namespace nnvk::vulkan
