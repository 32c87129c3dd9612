// Finds the function that translates an operator.
#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "importers/tflite/operator_parts.h"

namespace nnvk::importers::tflite {
namespace {

constexpr auto kFamilies = std::to_array<std::span<const Row> (*)()>({
    layer_operators,
    arithmetic_operators,
    unary_operators,
    shape_operators,
    picture_operators,
    slicing_operators,
    joining_operators,
    reduce_operators,
    lookup_operators,
    comparison_operators,
    lstm_operators,
    rnn_operators,
    control_flow_operators,
    custom_operators,
});

const Row* find_row(int32_t code) {
  for (const auto family : kFamilies) {
    const auto rows = family();
    const auto row = std::ranges::find(rows, code, [](const Row& r) { return static_cast<int32_t>(r.code); });
    if (row != rows.end()) return &*row;
  }
  return nullptr;
}

}  // namespace

Status emit_operator(Emitter& emitter, const Operator& op) {
  const Row* row = find_row(op.code);
  if (row == nullptr) return fail(op.where + ": NNAPI has no such operation");
  if (row->one_output && op.outputs.size() != 1)
    return fail(fmt::format("{}: it must have 1 output, but has {}", op.where, op.outputs.size()));
  for (size_t position = 0; position < row->inputs; ++position) {
    if (!Emitter::has_input(op, position)) return fail(fmt::format("{}: input {} is missing", op.where, position));
  }
  return row->emit(emitter, op);
}

}  // namespace nnvk::importers::tflite
