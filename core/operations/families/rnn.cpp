// RNN, UNIDIRECTIONAL_SEQUENCE_RNN and BIDIRECTIONAL_SEQUENCE_RNN.
#include "core/operations/families/row_syntax.h"
#include "core/operations/parameters/rnn_parameters.h"
#include "core/operations/rules/lstm_rules.h"
#include "core/operations/rules/sequence_rules.h"

namespace nnvk {
namespace {
using namespace row;

// Checks weights, recurrent weights, bias and state of one cell. Returns the number of units.
Result<uint32_t> check_rnn_cell(const OperationView& operation, RnnCell cell, uint32_t batch, uint32_t input_size) {
  const uint32_t units = dimension_of(operation, cell.weights(), 0);
  NNVK_TRY(expect_shape(operation, cell.weights(), {units, input_size}));
  NNVK_TRY(expect_shape(operation, cell.recurrent_weights(), {units, units}));
  NNVK_TRY(expect_shape(operation, cell.bias(), {units}));
  NNVK_TRY(expect_shape(operation, cell.state(), {batch, units}));
  return units;
}

// --- RNN --------------------------------------------------------------------------------------------------------------------

Shapes infer_rnn(const OperationView& operation) {
  using namespace rnn;
  NNVK_TRY(check_rank(operation, kInput, 2, 2, Code::kOpFailed));
  const uint32_t batch = dimension_of(operation, kInput, 0);
  NNVK_ASSIGN(const uint32_t units, check_rnn_cell(operation, kCell, batch, dimension_of(operation, kInput, 1)));
  NNVK_TRY(check_recurrent_activation(operation, kActivation));
  const Shape state{batch, units};
  return std::vector{state, state};
}

constexpr auto kRnnTypes = rules<In<kT, kT, kT, kT, kT, kInt32>, Out<kT, kT>, Floats<1>>;

// --- UNIDIRECTIONAL_SEQUENCE_RNN --------------------------------------------------------------------------------------------

// Checks the activation of a sequence RNN, which does not support RELU1, unlike RNN and the LSTMs.
Status check_rnn_activation(const OperationView& operation, size_t i) {
  NNVK_TRY(check_recurrent_activation(operation, i));
  if (operation.scalar<int32_t>(i) != 2) return {};
  return fail(Code::kOpFailed, "the activation RELU1 (2) is not defined for this operation");
}

Shapes infer_unidirectional_rnn(const OperationView& operation) {
  using namespace unidirectional_sequence_rnn;
  NNVK_TRY(check_rank(operation, kInput, 3, 3, Code::kOpFailed));
  const auto time_major = operation.scalar<int32_t>(kTimeMajor);
  if (time_major && *time_major != 0 && *time_major != 1) {
    return fail(Code::kOpFailed, "time_major must be 0 or 1, but is " + std::to_string(*time_major));
  }
  NNVK_TRY(check_rnn_activation(operation, kActivation));
  const Sequence sequence = sequence_of(operation, time_major ? std::optional(*time_major == 1) : std::nullopt);
  NNVK_ASSIGN(const uint32_t units, check_rnn_cell(operation, kCell, sequence.batch, sequence.size));
  std::vector<Shape> outputs{sequence_output(operation, units)};
  if (operation.outputs.size() > 1) outputs.push_back(Shape{sequence.batch, units});
  return outputs;
}

constexpr auto kUnidirectionalRnnTypes = rules<In<kT, kT, kT, kT, kT, kInt32, kInt32>, Out<kT, kT>, Floats<3>>;
constexpr Signature kUnidirectionalRnn[] = {
    {3, counts<7>, 1, kUnidirectionalRnnTypes},
    {4, counts<7>, 2, kUnidirectionalRnnTypes},
};

// --- BIDIRECTIONAL_SEQUENCE_RNN ---------------------------------------------------------------------------------------------

Shapes infer_bidirectional_rnn(const OperationView& operation) {
  using namespace bidirectional_sequence_rnn;
  NNVK_TRY(check_rank(operation, kInput, 3, 3, Code::kOpFailed));
  NNVK_TRY(check_rnn_activation(operation, kActivation));
  const auto presence = [&](size_t i) { return presence_of(operation, i); };
  NNVK_ASSIGN(const Linking linking,
              linking_of(presence(kAuxiliaryInput), presence(kForwardAuxiliaryWeights), presence(kBackwardAuxiliaryWeights)));
  const Sequence sequence = sequence_of(operation, optional_flag(operation, kTimeMajor));
  const uint32_t aux_size = dimension_of(operation, kAuxiliaryInput, 2);
  NNVK_TRY(expect_auxiliary_sequence(operation, kAuxiliaryInput, aux_size));
  const uint32_t backward_input = backward_input_size(linking, sequence.size, aux_size);
  NNVK_ASSIGN(const uint32_t forward, check_rnn_cell(operation, kForwardCell, sequence.batch, sequence.size));
  NNVK_ASSIGN(const uint32_t backward, check_rnn_cell(operation, kBackwardCell, sequence.batch, backward_input));
  NNVK_TRY(expect_optional_shape(operation, kForwardAuxiliaryWeights, {forward, aux_size}));
  NNVK_TRY(expect_optional_shape(operation, kBackwardAuxiliaryWeights, {backward, aux_size}));
  NNVK_ASSIGN(std::vector<Shape> outputs, bidirectional_outputs(operation, kMergeOutputs, kStates, {forward, backward}));
  if (operation.outputs.size() > kStates) {
    outputs.push_back(Shape{sequence.batch, forward});
    outputs.push_back(Shape{sequence.batch, backward});
  }
  return outputs;
}

constexpr auto kBidirectionalRnnTypes =
    rules<In<kT, kT, kT, kT, kT, kT, kT, kT, kT, kT, kT, kT, kInt32, kBool, kBool>, Out<kT, kT, kT, kT>, Floats<3>>;
constexpr Signature kBidirectionalRnn[] = {
    {3, counts<15>, 2, kBidirectionalRnnTypes},
    {3, counts<15>, 1, kBidirectionalRnnTypes},
    {4, counts<15>, 4, kBidirectionalRnnTypes},
    {4, counts<15>, 3, kBidirectionalRnnTypes},
};

constexpr auto kRows = rows<Cost::kMatrix, layout::fixed, recurrent_multiply_adds>({
    {.code = Op::kRnn, .signatures = only<kRnnTypes>, .bad_operand_code = Code::kBadData, .infer = infer_rnn},
    {.code = Op::kUnidirectionalSequenceRnn, .signatures = kUnidirectionalRnn, .infer = infer_unidirectional_rnn},
    {.code = Op::kBidirectionalSequenceRnn,
     .signatures = kBidirectionalRnn,
     .optional_inputs = bits(bidirectional_sequence_rnn::kAuxiliaryInput, bidirectional_sequence_rnn::kForwardAuxiliaryWeights,
                             bidirectional_sequence_rnn::kBackwardAuxiliaryWeights),
     .infer = infer_bidirectional_rnn},
});

}  // namespace

std::span<const OperationDefinition> rnn_operations() { return kRows; }

}  // namespace nnvk
