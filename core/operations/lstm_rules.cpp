// Checks one LSTM cell, as the constraints of LSTM, QUANTIZED_LSTM and the sequence LSTMs say.
#include "core/operations/lstm_rules.h"

#include "core/operations/operand_expectations.h"
#include "core/operations/shape_rules.h"

namespace nnvk {
namespace {

constexpr size_t kGates = 4;  // input, forget, cell, output: the order within each group of operands

tl::unexpected<Error> bad(std::string message) { return fail(Code::kOpFailed, std::move(message)); }

std::string presence(const OperationView& operation, size_t i) {
  return input_name(i) + (operation.has(i) ? " is given" : " is omitted");
}

// Both or none.
Status expect_together(const OperationView& operation, size_t a, size_t b) {
  if (operation.has(a) == operation.has(b)) return {};
  return bad("both or none must be given, but " + presence(operation, a) + " and " + presence(operation, b));
}

// Input i is given exactly when `wanted`.
Status expect_presence(const OperationView& operation, size_t i, bool wanted, const char* because) {
  if (operation.has(i) == wanted) return {};
  return bad(presence(operation, i) + " " + because);
}

// Optional operands that come in groups: the input gate's, the peepholes, layer normalization, the projection.
Status check_groups(const OperationView& operation, const LstmCell& cell) {
  const size_t input_to_input = cell.weights;
  const size_t recurrent_to_input = cell.weights + 4;
  const size_t peephole = cell.weights + 8;
  const size_t input_bias = cell.weights + 11;
  const size_t projection = cell.weights + 15;
  const bool coupled = !operation.has(input_to_input);
  NNVK_TRY(expect_together(operation, input_to_input, recurrent_to_input));
  NNVK_TRY(expect_presence(operation, input_bias, !coupled, "although the input-to-input weights say otherwise"));

  const bool peepholes = operation.has(peephole + 2);
  NNVK_TRY(expect_together(operation, peephole + 1, peephole + 2));
  // With a coupled gate the input peephole has no use; only one without the others is wrong.
  if (!peepholes || !coupled) NNVK_TRY(expect_presence(operation, peephole, peepholes, "unlike the other peepholes"));

  const bool layer_norm = operation.has(cell.layer_norm + 3);
  NNVK_TRY(expect_together(operation, cell.layer_norm + 1, cell.layer_norm + 3));
  NNVK_TRY(expect_together(operation, cell.layer_norm + 2, cell.layer_norm + 3));
  NNVK_TRY(expect_presence(operation, cell.layer_norm, layer_norm && !coupled, "unlike what the other gates need"));

  if (operation.has(projection + 1) && !operation.has(projection)) {
    return bad("a projection bias needs projection weights: " + presence(operation, projection));
  }
  return {};
}

Status expect_required(const OperationView& operation, size_t first, size_t last) {
  for (size_t i = first; i <= last; ++i) {
    if (!operation.has(i)) return bad(presence(operation, i) + " but required");
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
  sizes.coupled = !operation.has(w);
  for (size_t gate = 0; gate < kGates; ++gate) {
    NNVK_TRY(expect_shape(operation, w + gate, {sizes.units, input_size}));
    NNVK_TRY(expect_shape(operation, w + 4 + gate, {sizes.units, sizes.output_size}));
    NNVK_TRY(expect_shape(operation, w + 11 + gate, {sizes.units}));
    NNVK_TRY(expect_shape(operation, cell.layer_norm + gate, {sizes.units}));
  }
  for (size_t peephole = w + 8; peephole <= w + 10; ++peephole) NNVK_TRY(expect_shape(operation, peephole, {sizes.units}));
  NNVK_TRY(expect_shape(operation, w + 15, {sizes.output_size, sizes.units}));
  NNVK_TRY(expect_shape(operation, w + 16, {sizes.output_size}));
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
