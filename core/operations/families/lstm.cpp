// LSTM, UNIDIRECTIONAL_SEQUENCE_LSTM and BIDIRECTIONAL_SEQUENCE_LSTM.
#include "core/operations/families/row_syntax.h"
#include "core/operations/parameters/lstm_parameters.h"
#include "core/operations/rules/lstm_rules.h"
#include "core/operations/rules/sequence_rules.h"

namespace nnvk {
namespace {
using namespace row;

// --- LSTM -------------------------------------------------------------------------------------------------------------------

Shapes infer_lstm(const OperationView& operation) {
  using namespace lstm;
  NNVK_TRY(check_rank(operation, kInput, 2, SIZE_MAX, Code::kOpFailed));
  const uint32_t batch = dimension_of(operation, kInput, 0);
  NNVK_ASSIGN(const LstmSizes sizes, check_lstm_cell(operation, kCell, batch, dimension_of(operation, kInput, 1)));
  NNVK_TRY(check_recurrent_activation(operation, kActivation));
  NNVK_TRY(expect_not_negative(operation, kCellClip));
  NNVK_TRY(expect_not_negative(operation, kProjectionClip));
  const Shape output{batch, sizes.output_size};
  Shape scratch{batch, kUnknownDimension};
  if (sizes.input_gate != Presence::kUncertain) {
    scratch.dims[1] = multiply_dimensions(sizes.units, sizes.input_gate == Presence::kGiven ? 4 : 3);
  }
  return std::vector{scratch, output, Shape{batch, sizes.units}, output};
}

// Inputs: 20 tensors of one type, activation, two clip values, then four layer-norm tensors.
constexpr auto kLstmTypes = rules<In<kT, kT, kT, kT, kT, kT, kT, kT, kT, kT, kT, kT, kT, kT, kT, kT, kT, kT, kT, kT, kInt32,
                                     kTScalar, kTScalar, kT, kT, kT, kT>,
                                  Out<kT, kT, kT, kT>, Floats<1>>;
constexpr Signature kLstm[] = {
    {1, counts<23>, 4, kLstmTypes},
    {3, counts<27>, 4, kLstmTypes},
};

// --- UNIDIRECTIONAL_SEQUENCE_LSTM -------------------------------------------------------------------------------------------

Shapes infer_unidirectional_lstm(const OperationView& operation) {
  using namespace unidirectional_sequence_lstm;
  NNVK_TRY(check_rank(operation, kInput, 3, 3, Code::kOpFailed));
  const Sequence sequence = sequence_of(operation, optional_flag(operation, kTimeMajor));
  NNVK_ASSIGN(const LstmSizes sizes, check_lstm_cell(operation, kCell, sequence.batch, sequence.size));
  NNVK_TRY(check_recurrent_activation(operation, kActivation));
  std::vector<Shape> outputs{sequence_output(operation, sizes.output_size)};
  if (operation.outputs.size() > 1) {
    outputs.push_back(Shape{sequence.batch, sizes.output_size});
    outputs.push_back(Shape{sequence.batch, sizes.units});
  }
  return outputs;
}

// Inputs: 20 tensors, activation, two clip values, time_major, four layer-norm tensors.
constexpr auto kUnidirectionalLstmTypes = rules<In<kT, kT, kT, kT, kT, kT, kT, kT, kT, kT, kT, kT, kT, kT, kT, kT, kT, kT, kT, kT,
                                                   kInt32, kTScalar, kTScalar, kBool, kT, kT, kT, kT>,
                                                Out<kT, kT, kT>, Floats<3>>;
constexpr Signature kUnidirectionalLstm[] = {
    {3, counts<28>, 1, kUnidirectionalLstmTypes},
    {4, counts<28>, 3, kUnidirectionalLstmTypes},
};

// --- BIDIRECTIONAL_SEQUENCE_LSTM --------------------------------------------------------------------------------------------

Status expect_given(const OperationView& operation, size_t first, size_t last) {
  for (size_t i = first; i <= last; ++i) {
    if (!operation.has(i)) return fail(Code::kOpFailed, input_name(i) + " is required but omitted");
  }
  return {};
}

// Checks that a direction has all auxiliary weights or none; without an input gate (CIFG) it has no weights for that gate.
Result<Presence> auxiliary_weights(const OperationView& operation, size_t first, Presence input_gate) {
  const size_t last = first + kLstmOutputGate;
  const Presence presence = presence_of(operation, last);
  for (size_t i = first; i <= last; ++i) {
    const bool uncertain = input_gate == Presence::kUncertain && i == first;
    if (uncertain || presence_of(operation, i) == Presence::kUncertain) return Presence::kUncertain;
    const Presence wanted = i == first && input_gate == Presence::kOmitted ? Presence::kOmitted : presence;
    if (presence_of(operation, i) != wanted) {
      return fail(Code::kOpFailed,
                  "auxiliary weights must be given all or not at all, the input gate's not with CIFG: " + input_name(i));
    }
  }
  return presence;
}

Shapes infer_bidirectional_lstm(const OperationView& operation) {
  using namespace bidirectional_sequence_lstm;
  NNVK_TRY(check_rank(operation, kInput, 3, 3, Code::kOpFailed));
  NNVK_TRY(expect_given(operation, kActivation, kTimeMajor));
  NNVK_TRY(check_recurrent_activation(operation, kActivation));
  NNVK_TRY(expect_not_negative(operation, kCellClip));
  NNVK_TRY(expect_not_negative(operation, kProjectionClip));
  const auto auxiliary_of = [&](size_t weights, const LstmCell& cell) {
    return auxiliary_weights(operation, weights, presence_of(operation, cell.input_weights(kLstmInputGate)));
  };
  NNVK_ASSIGN(const Presence forward_aux, auxiliary_of(kForwardAuxiliaryWeights, kForwardCell));
  NNVK_ASSIGN(const Presence backward_aux, auxiliary_of(kBackwardAuxiliaryWeights, kBackwardCell));
  NNVK_ASSIGN(const Linking linking, linking_of(presence_of(operation, kAuxiliaryInput), forward_aux, backward_aux));
  const Sequence sequence = sequence_of(operation, optional_flag(operation, kTimeMajor));
  // Cross linking requires inputs of equal size: the specification takes the auxiliary size from the first input.
  const uint32_t aux_size = linking == Linking::kCross ? sequence.size : dimension_of(operation, kAuxiliaryInput, 2);
  NNVK_TRY(expect_auxiliary_sequence(operation, kAuxiliaryInput, aux_size));
  const uint32_t backward_input = backward_input_size(linking, sequence.size, aux_size);
  NNVK_ASSIGN(const LstmSizes forward, check_lstm_cell(operation, kForwardCell, sequence.batch, sequence.size));
  NNVK_ASSIGN(const LstmSizes backward, check_lstm_cell(operation, kBackwardCell, sequence.batch, backward_input));
  for (size_t gate = 0; gate < kLstmGateCount; ++gate) {
    NNVK_TRY(expect_optional_shape(operation, kForwardAuxiliaryWeights + gate, {forward.units, aux_size}));
    NNVK_TRY(expect_optional_shape(operation, kBackwardAuxiliaryWeights + gate, {backward.units, aux_size}));
  }
  NNVK_ASSIGN(std::vector<Shape> outputs,
              bidirectional_outputs(operation, kMergeOutputs, kStates, {forward.output_size, backward.output_size}));
  if (operation.outputs.size() > kStates) {
    for (const LstmSizes& sizes : {forward, backward}) {
      outputs.push_back(Shape{sequence.batch, sizes.output_size});
      outputs.push_back(Shape{sequence.batch, sizes.units});
    }
  }
  return outputs;
}

// Inputs: 48 tensors, activation, two clip values, merge_outputs, time_major, eight layer-norm tensors.
constexpr auto kBidirectionalLstmTypes =
    rules<In<kT, kT, kT, kT, kT, kT, kT, kT, kT, kT, kT, kT, kT, kT, kT, kT, kT, kT, kT, kT, kT, kT, kT, kT, kT, kT, kT, kT, kT,
             kT, kT, kT, kT, kT, kT, kT, kT, kT, kT, kT, kT, kT, kT, kT, kT, kT, kT, kT, kInt32, kTScalar, kTScalar, kBool, kBool,
             kT, kT, kT, kT, kT, kT, kT, kT>,
          Out<kT, kT, kT, kT, kT, kT>, Floats<3>>;
constexpr Signature kBidirectionalLstm[] = {
    {3, counts<61>, 2, kBidirectionalLstmTypes},
    {3, counts<61>, 1, kBidirectionalLstmTypes},
    {4, counts<61>, 6, kBidirectionalLstmTypes},
    {4, counts<61>, 5, kBidirectionalLstmTypes},
};

constexpr auto kRows = rows<Cost::kMatrix, layout::fixed, recurrent_multiply_adds>({
    {.code = Op::kLstm, .signatures = kLstm, .optional_inputs = optional_inputs(lstm::kCell), .infer = infer_lstm},
    {.code = Op::kUnidirectionalSequenceLstm,
     .signatures = kUnidirectionalLstm,
     .optional_inputs = optional_inputs(unidirectional_sequence_lstm::kCell),
     .infer = infer_unidirectional_lstm},
    // Inputs from 31 on share a bit of the mask, so infer() checks that the required ones among them are present.
    {.code = Op::kBidirectionalSequenceLstm,
     .signatures = kBidirectionalLstm,
     .optional_inputs =
         optional_inputs(bidirectional_sequence_lstm::kForwardCell) | optional_inputs(bidirectional_sequence_lstm::kBackwardCell),
     .infer = infer_bidirectional_lstm},
});

}  // namespace

std::span<const OperationDefinition> lstm_operations() { return kRows; }

}  // namespace nnvk
