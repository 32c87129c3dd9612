// Checks one LSTM cell against the constraints of LSTM, QUANTIZED_LSTM and the sequence LSTMs.
#include "core/operations/rules/lstm_rules.h"

#include "core/operations/rules/shape_rules.h"

namespace nnvk {
namespace {

tl::unexpected<Error> bad(std::string message) { return fail(Code::kOpFailed, std::move(message)); }

std::string describe(const OperationView& operation, size_t i) {
  return input_name(i) + (operation.has(i) ? " is given" : " is omitted");
}

// Checks that input i is present or omitted as `wanted` says; accepts it while one of the two is uncertain.
Status expect_agreement(const OperationView& operation, size_t i, Presence wanted, const char* because) {
  const Presence presence = presence_of(operation, i);
  if (presence == wanted || presence == Presence::kUncertain || wanted == Presence::kUncertain) return {};
  return bad(describe(operation, i) + ", " + because);
}

// Checks that both operands are given, or neither.
Status expect_together(const OperationView& operation, size_t a, size_t b) {
  return expect_agreement(operation, a, presence_of(operation, b), ("unlike " + input_name(b)).c_str());
}

// Checks optional operands that come in groups: the input gate's, the peepholes, layer normalization, the projection.
Status check_groups(const OperationView& operation, const LstmCell& cell) {
  const size_t input_weights = cell.input_weights(kLstmInputGate);
  const Presence input_gate = presence_of(operation, input_weights);
  NNVK_TRY(expect_together(operation, cell.recurrent_weights(kLstmInputGate), input_weights));
  NNVK_TRY(expect_together(operation, cell.bias(kLstmInputGate), input_weights));

  // With a coupled gate, the input peephole has no use and may be given or omitted; without other peepholes it is wrong.
  const size_t last_peephole = cell.peephole(kLstmOutputGate);
  const Presence peepholes = presence_of(operation, last_peephole);
  NNVK_TRY(expect_together(operation, cell.peephole(kLstmForgetGate), last_peephole));
  if (peepholes == Presence::kOmitted || input_gate == Presence::kGiven) {
    NNVK_TRY(expect_agreement(operation, cell.peephole(kLstmInputGate), peepholes, "unlike the other peepholes"));
  }

  const size_t last_norm = cell.layer_norm(kLstmOutputGate);
  NNVK_TRY(expect_together(operation, cell.layer_norm(kLstmForgetGate), last_norm));
  NNVK_TRY(expect_together(operation, cell.layer_norm(kLstmCellGate), last_norm));
  if (input_gate != Presence::kUncertain) {
    const Presence norm = input_gate == Presence::kGiven ? presence_of(operation, last_norm) : Presence::kOmitted;
    NNVK_TRY(expect_agreement(operation, cell.layer_norm(kLstmInputGate), norm,
                              "which does not fit the other gates' layer normalization"));
  }

  if (presence_of(operation, cell.projection_bias()) == Presence::kGiven && !operation.has(cell.projection_weights())) {
    return bad("a projection bias needs projection weights: " + describe(operation, cell.projection_weights()));
  }
  return {};
}

// Checks the operands that every cell needs; a coupled cell (CIFG) may omit those of the input gate.
Status expect_required(const OperationView& operation, const LstmCell& cell) {
  const auto expect = [&](size_t i) -> Status {
    return operation.has(i) ? Status{} : bad(describe(operation, i) + " but required");
  };
  using Operand = size_t (LstmCell::*)(size_t) const;
  for (const Operand operand : {&LstmCell::input_weights, &LstmCell::recurrent_weights, &LstmCell::bias}) {
    for (const size_t gate : {kLstmForgetGate, kLstmCellGate, kLstmOutputGate}) NNVK_TRY(expect((cell.*operand)(gate)));
  }
  NNVK_TRY(expect(cell.output_state()));
  return expect(cell.cell_state());
}

}  // namespace

Result<LstmSizes> check_lstm_cell(const OperationView& operation, const LstmCell& cell, uint32_t batch, uint32_t input_size) {
  NNVK_TRY(expect_required(operation, cell));
  NNVK_TRY(check_groups(operation, cell));

  const LstmSizes sizes{.units = dimension_of(operation, cell.input_weights(kLstmOutputGate), 0),
                        .output_size = dimension_of(operation, cell.recurrent_weights(kLstmOutputGate), 1),
                        .input_gate = presence_of(operation, cell.input_weights(kLstmInputGate))};
  for (size_t gate = 0; gate < kLstmGateCount; ++gate) {
    const auto expect = gate == kLstmInputGate ? expect_optional_shape : expect_shape;
    NNVK_TRY(expect(operation, cell.input_weights(gate), {sizes.units, input_size}));
    NNVK_TRY(expect(operation, cell.recurrent_weights(gate), {sizes.units, sizes.output_size}));
    NNVK_TRY(expect(operation, cell.bias(gate), {sizes.units}));
    NNVK_TRY(expect_optional_shape(operation, cell.layer_norm(gate), {sizes.units}));
    if (gate != kLstmCellGate) NNVK_TRY(expect_optional_shape(operation, cell.peephole(gate), {sizes.units}));
  }
  NNVK_TRY(expect_optional_shape(operation, cell.projection_weights(), {sizes.output_size, sizes.units}));
  NNVK_TRY(expect_optional_shape(operation, cell.projection_bias(), {sizes.output_size}));
  if (!operation.has(cell.projection_weights()) && contradict(sizes.units, sizes.output_size)) {
    return bad("without a projection the output size (" + std::to_string(sizes.output_size) + ") must equal the units (" +
               std::to_string(sizes.units) + ")");
  }
  NNVK_TRY(expect_shape(operation, cell.output_state(), {batch, sizes.output_size}));
  NNVK_TRY(expect_shape(operation, cell.cell_state(), {batch, sizes.units}));
  return sizes;
}

Status check_recurrent_activation(const OperationView& operation, size_t i) {
  const auto code = operation.scalar<int32_t>(i);
  if (!code || (*code >= 0 && *code <= 4) || *code == 6) return {};
  return bad("the activation must be 0..4 or 6, but is " + std::to_string(*code));
}

}  // namespace nnvk
