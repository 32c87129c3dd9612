// Checks one LSTM cell, as the constraints of LSTM, QUANTIZED_LSTM and the sequence LSTMs say.
#include "core/operations/rules/lstm_rules.h"

#include "core/operations/rules/operand_expectations.h"
#include "core/operations/rules/shape_rules.h"

namespace nnvk {
namespace {

constexpr size_t kGates = 4;  // input, forget, cell, output: the order within each group of operands

tl::unexpected<Error> bad(std::string message) { return fail(Code::kOpFailed, std::move(message)); }

std::string describe(const OperationView& operation, size_t i) {
  return input_name(i) + (operation.has(i) ? " is given" : " is omitted");
}

// Passes while one of them is uncertain.
Status expect_agreement(const OperationView& operation, size_t i, Presence wanted, const char* because) {
  const Presence presence = presence_of(operation, i);
  if (presence == wanted || presence == Presence::kUncertain || wanted == Presence::kUncertain) return {};
  return bad(describe(operation, i) + ", " + because);
}

// Both or none.
Status expect_together(const OperationView& operation, size_t a, size_t b) {
  return expect_agreement(operation, a, presence_of(operation, b), ("unlike " + input_name(b)).c_str());
}

// Optional operands that come in groups: the input gate's, the peepholes, layer normalization, the projection.
Status check_groups(const OperationView& operation, const LstmCell& cell) {
  const size_t input_to_input = cell.weights;
  const size_t recurrent_to_input = cell.weights + 4;
  const size_t peephole = cell.weights + 8;
  const size_t input_bias = cell.weights + 11;
  const size_t projection = cell.weights + 15;
  const Presence input_gate = presence_of(operation, input_to_input);
  NNVK_TRY(expect_together(operation, recurrent_to_input, input_to_input));
  NNVK_TRY(expect_together(operation, input_bias, input_to_input));

  // With a coupled gate the input peephole has no use and may be given or not; alone it is wrong.
  const Presence peepholes = presence_of(operation, peephole + 2);
  NNVK_TRY(expect_together(operation, peephole + 1, peephole + 2));
  if (peepholes == Presence::kOmitted || input_gate == Presence::kGiven) {
    NNVK_TRY(expect_agreement(operation, peephole, peepholes, "unlike the other peepholes"));
  }

  const size_t last_norm = cell.layer_norm + 3;
  NNVK_TRY(expect_together(operation, cell.layer_norm + 1, last_norm));
  NNVK_TRY(expect_together(operation, cell.layer_norm + 2, last_norm));
  if (input_gate != Presence::kUncertain) {
    const Presence norm = input_gate == Presence::kGiven ? presence_of(operation, last_norm) : Presence::kOmitted;
    NNVK_TRY(expect_agreement(operation, cell.layer_norm, norm, "which does not fit the other gates' layer normalization"));
  }

  if (presence_of(operation, projection + 1) == Presence::kGiven && !operation.has(projection)) {
    return bad("a projection bias needs projection weights: " + describe(operation, projection));
  }
  return {};
}

Status expect_required(const OperationView& operation, size_t first, size_t last) {
  for (size_t i = first; i <= last; ++i) {
    if (!operation.has(i)) return bad(describe(operation, i) + " but required");
  }
  return {};
}

}  // namespace

Result<LstmSizes> check_lstm_cell(const OperationView& operation, const LstmCell& cell, uint32_t batch, uint32_t input_size) {
  const size_t w = cell.weights;
  NNVK_TRY(expect_required(operation, w + 1, w + 3));
  NNVK_TRY(expect_required(operation, w + 5, w + 7));
  NNVK_TRY(expect_required(operation, w + 12, w + 14));
  NNVK_TRY(expect_required(operation, cell.state, cell.state + 1));
  NNVK_TRY(check_groups(operation, cell));

  LstmSizes sizes;
  sizes.units = dimension_of(operation, w + 3, 0);
  sizes.output_size = dimension_of(operation, w + 7, 1);
  sizes.input_gate = presence_of(operation, w);
  for (size_t gate = 0; gate < kGates; ++gate) {
    const auto expect = gate == 0 ? expect_optional_shape : expect_shape;
    NNVK_TRY(expect(operation, w + gate, {sizes.units, input_size}));
    NNVK_TRY(expect(operation, w + 4 + gate, {sizes.units, sizes.output_size}));
    NNVK_TRY(expect(operation, w + 11 + gate, {sizes.units}));
    NNVK_TRY(expect_optional_shape(operation, cell.layer_norm + gate, {sizes.units}));
  }
  for (size_t peephole = w + 8; peephole <= w + 10; ++peephole)
    NNVK_TRY(expect_optional_shape(operation, peephole, {sizes.units}));
  NNVK_TRY(expect_optional_shape(operation, w + 15, {sizes.output_size, sizes.units}));
  NNVK_TRY(expect_optional_shape(operation, w + 16, {sizes.output_size}));
  if (!operation.has(w + 15) && contradict(sizes.units, sizes.output_size)) {
    return bad("without a projection the output size (" + std::to_string(sizes.output_size) + ") must equal the units (" +
               std::to_string(sizes.units) + ")");
  }
  NNVK_TRY(expect_shape(operation, cell.state, {batch, sizes.output_size}));
  NNVK_TRY(expect_shape(operation, cell.state + 1, {batch, sizes.units}));
  return sizes;
}

Status check_recurrent_activation(const OperationView& operation, size_t i) {
  const auto code = operation.scalar<int32_t>(i);
  if (!code || (*code >= 0 && *code <= 4) || *code == 6) return {};
  return bad("the activation must be 0..4 or 6, is " + std::to_string(*code));
}

}  // namespace nnvk
