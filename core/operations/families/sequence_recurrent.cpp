// Recurrent cells over whole sequences: UNIDIRECTIONAL_ and BIDIRECTIONAL_SEQUENCE_LSTM and _RNN.
#include <algorithm>

#include "core/operations/families/families.h"
#include "core/operations/families/row_syntax.h"
#include "core/operations/rules/lstm_rules.h"
#include "core/operations/rules/operand_expectations.h"
#include "core/operations/rules/shape_rules.h"

namespace nnvk {
namespace {
using namespace row;

// A [time, batch, size] or [batch, time, size] input.
struct Sequence {
  uint32_t batch = kUnknownDimension;
  uint32_t size = kUnknownDimension;
};

Sequence sequence_of(const OperationView& operation, std::optional<bool> time_major) {
  Sequence sequence;
  if (time_major) sequence.batch = dimension_of(operation, 0, *time_major ? 1 : 0);
  sequence.size = dimension_of(operation, 0, 2);
  return sequence;
}

// The input's shape with another last dimension.
Shape sequence_output(const OperationView& operation, uint32_t size) {
  return Shape{dimension_of(operation, 0, 0), dimension_of(operation, 0, 1), size};
}

std::optional<bool> flag(const OperationView& operation, size_t i) {
  const auto value = operation.scalar<uint8_t>(i);
  return value ? std::optional(*value != 0) : std::nullopt;
}

uint32_t add_dimensions(uint32_t a, uint32_t b) {
  if (!is_known(a) || !is_known(b)) return kUnknownDimension;
  return static_cast<uint32_t>(std::min<uint64_t>(uint64_t{a} + b, kUnknownDimension - 1));
}

Status expect_given(const OperationView& operation, size_t first, size_t last) {
  for (size_t i = first; i <= last; ++i) {
    if (!operation.has(i)) return fail(Code::kOpFailed, input_name(i) + " is required but omitted");
  }
  return {};
}

// How an auxiliary input takes part in a bidirectional operation.
enum class Linking {
  kNone,
  kParallel,   // the auxiliary input replaces the input of the backward cell
  kCross,      // auxiliary weights add the auxiliary input to both cells
  kUncertain,  // not decided before execution
};

// Forward output, backward output unless merged into the former.
Result<std::vector<Shape>> bidirectional_outputs(const OperationView& operation, size_t merge_input, size_t state_count,
                                                 uint32_t forward_size, uint32_t backward_size) {
  const size_t count = operation.outputs.size();
  const bool two_outputs = count == 2 || count == 2 + state_count;
  if (const auto merge = flag(operation, merge_input); merge && *merge == two_outputs) {
    return fail(Code::kOpFailed, std::string("merge_outputs is ") + (*merge ? "true" : "false") + " but the operation has " +
                                     std::to_string(count) + " outputs");
  }
  std::vector<Shape> outputs;
  if (two_outputs) {
    outputs.push_back(sequence_output(operation, forward_size));
    outputs.push_back(sequence_output(operation, backward_size));
  } else {
    outputs.push_back(sequence_output(operation, add_dimensions(forward_size, backward_size)));
  }
  return outputs;
}

// The auxiliary input, if given, runs beside input 0.
Status expect_auxiliary_sequence(const OperationView& operation, size_t aux, uint32_t size) {
  return expect_optional_shape(operation, aux, {dimension_of(operation, 0, 0), dimension_of(operation, 0, 1), size});
}

// --- UNIDIRECTIONAL_SEQUENCE_LSTM -------------------------------------------------------------------------------------------

Result<std::vector<Shape>> infer_unidirectional_lstm(const OperationView& operation) {
  NNVK_TRY(check_rank(operation, 0, 3, 3, Code::kOpFailed));
  const Sequence sequence = sequence_of(operation, flag(operation, 23));
  NNVK_ASSIGN(const LstmSizes sizes, check_lstm_cell(operation, kUnidirectionalCell, sequence.batch, sequence.size));
  NNVK_TRY(check_recurrent_activation(operation, 20));
  std::vector<Shape> outputs{sequence_output(operation, sizes.output_size)};
  if (operation.outputs.size() > 1) {
    outputs.push_back(Shape{sequence.batch, sizes.output_size});
    outputs.push_back(Shape{sequence.batch, sizes.units});
  }
  return outputs;
}

// 20 tensors, activation, two clip values, time_major, four layer-norm tensors.
template <OperandType kT, OperandType kScalar>
constexpr auto kUnidirectionalLstmInputs = types<kT, kT, kT, kT, kT, kT, kT, kT, kT, kT, kT, kT, kT, kT, kT, kT, kT, kT, kT, kT,
                                                 kInt32, kScalar, kScalar, kBool, kT, kT, kT, kT>;

constexpr TypeRule kUnidirectionalLstmTypes[] = {
    {3, kUnidirectionalLstmInputs<kTensorFloat32, kFloat32>, types<kTensorFloat32, kTensorFloat32, kTensorFloat32>},
    {3, kUnidirectionalLstmInputs<kTensorFloat16, kFloat16>, types<kTensorFloat16, kTensorFloat16, kTensorFloat16>},
};
constexpr Signature kUnidirectionalLstm[] = {
    {"output_only", 3, counts<28>, 1, kUnidirectionalLstmTypes},
    {"with_state_outputs", 4, counts<28>, 3, kUnidirectionalLstmTypes},
};

// --- BIDIRECTIONAL_SEQUENCE_LSTM --------------------------------------------------------------------------------------------

constexpr size_t kLstmAux = kLstmAuxiliaryInput;

// Auxiliary weights of one direction: all given or none; the input gate's follow the coupling of the cell.
Result<Presence> auxiliary_weights(const OperationView& operation, size_t first, Presence input_gate) {
  const Presence presence = presence_of(operation, first + 3);
  for (size_t i = first; i <= first + 3; ++i) {
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

// What the auxiliary input and the weights of both directions amount to.
Result<Linking> linking_of(Presence input, Presence forward, Presence backward) {
  for (const Presence presence : {input, forward, backward}) {
    if (presence == Presence::kUncertain) return Linking::kUncertain;
  }
  if (forward != backward) return fail(Code::kOpFailed, "auxiliary weights are given for one direction only");
  if (input == Presence::kOmitted && forward == Presence::kGiven) {
    return fail(Code::kOpFailed, "auxiliary weights need the auxiliary input");
  }
  if (input == Presence::kOmitted) return Linking::kNone;
  return forward == Presence::kGiven ? Linking::kCross : Linking::kParallel;
}

// What the backward cell reads.
uint32_t backward_input_size(Linking linking, uint32_t input_size, uint32_t aux_size) {
  if (linking == Linking::kUncertain) return kUnknownDimension;
  return linking == Linking::kParallel ? aux_size : input_size;
}

Result<std::vector<Shape>> infer_bidirectional_lstm(const OperationView& operation) {
  NNVK_TRY(check_rank(operation, 0, 3, 3, Code::kOpFailed));
  NNVK_TRY(expect_given(operation, 48, 52));
  NNVK_TRY(check_recurrent_activation(operation, 48));
  NNVK_TRY(expect_not_negative(operation, 49));
  NNVK_TRY(expect_not_negative(operation, 50));
  NNVK_ASSIGN(const Presence forward_aux,
              auxiliary_weights(operation, kLstmAux + 1, presence_of(operation, kForwardCell.weights)));
  NNVK_ASSIGN(const Presence backward_aux,
              auxiliary_weights(operation, kLstmAux + 5, presence_of(operation, kBackwardCell.weights)));
  NNVK_ASSIGN(const Linking linking, linking_of(presence_of(operation, kLstmAux), forward_aux, backward_aux));
  const Sequence sequence = sequence_of(operation, flag(operation, 52));
  // Cross linking wants the sizes of both inputs alike: the specification takes the auxiliary size from input 0.
  const uint32_t aux_size = linking == Linking::kCross ? sequence.size : dimension_of(operation, kLstmAux, 2);
  NNVK_TRY(expect_auxiliary_sequence(operation, kLstmAux, aux_size));
  const uint32_t backward_input = backward_input_size(linking, sequence.size, aux_size);
  NNVK_ASSIGN(const LstmSizes forward, check_lstm_cell(operation, kForwardCell, sequence.batch, sequence.size));
  NNVK_ASSIGN(const LstmSizes backward, check_lstm_cell(operation, kBackwardCell, sequence.batch, backward_input));
  for (size_t gate = 0; gate < 4; ++gate) {
    NNVK_TRY(expect_optional_shape(operation, kLstmAux + 1 + gate, {forward.units, aux_size}));
    NNVK_TRY(expect_optional_shape(operation, kLstmAux + 5 + gate, {backward.units, aux_size}));
  }
  constexpr size_t kStates = 4;
  NNVK_ASSIGN(std::vector<Shape> outputs,
              bidirectional_outputs(operation, 51, kStates, forward.output_size, backward.output_size));
  if (operation.outputs.size() > kStates) {
    for (const LstmSizes& sizes : {forward, backward}) {
      outputs.push_back(Shape{sequence.batch, sizes.output_size});
      outputs.push_back(Shape{sequence.batch, sizes.units});
    }
  }
  return outputs;
}

// 48 tensors, activation, two clip values, merge_outputs, time_major, eight layer-norm tensors.
template <OperandType kT, OperandType kScalar>
constexpr auto kBidirectionalLstmInputs =
    types<kT, kT, kT, kT, kT, kT, kT, kT, kT, kT, kT, kT, kT, kT, kT, kT, kT, kT, kT, kT, kT, kT, kT, kT,  //
          kT, kT, kT, kT, kT, kT, kT, kT, kT, kT, kT, kT, kT, kT, kT, kT, kT, kT, kT, kT, kT, kT, kT, kT,  //
          kInt32, kScalar, kScalar, kBool, kBool, kT, kT, kT, kT, kT, kT, kT, kT>;

constexpr TypeRule kBidirectionalLstmTypes[] = {
    {3, kBidirectionalLstmInputs<kTensorFloat32, kFloat32>,
     types<kTensorFloat32, kTensorFloat32, kTensorFloat32, kTensorFloat32, kTensorFloat32, kTensorFloat32>},
    {3, kBidirectionalLstmInputs<kTensorFloat16, kFloat16>,
     types<kTensorFloat16, kTensorFloat16, kTensorFloat16, kTensorFloat16, kTensorFloat16, kTensorFloat16>},
};
constexpr Signature kBidirectionalLstm[] = {
    {"separate_outputs", 3, counts<61>, 2, kBidirectionalLstmTypes},
    {"merged_outputs", 3, counts<61>, 1, kBidirectionalLstmTypes},
    {"separate_outputs_with_state", 4, counts<61>, 6, kBidirectionalLstmTypes},
    {"merged_outputs_with_state", 4, counts<61>, 5, kBidirectionalLstmTypes},
};

// --- UNIDIRECTIONAL_SEQUENCE_RNN --------------------------------------------------------------------------------------------

// Weights, recurrent weights, bias and state of one RNN from input `first` on. Gives the number of units.
Result<uint32_t> check_rnn_cell(const OperationView& operation, size_t first, uint32_t batch, uint32_t input_size) {
  const uint32_t units = dimension_of(operation, first, 0);
  NNVK_TRY(expect_shape(operation, first, {units, input_size}));
  NNVK_TRY(expect_shape(operation, first + 1, {units, units}));
  NNVK_TRY(expect_shape(operation, first + 2, {units}));
  NNVK_TRY(expect_shape(operation, first + 3, {batch, units}));
  return units;
}

// The sequence RNNs know no RELU1, unlike RNN and the LSTMs.
Status check_rnn_activation(const OperationView& operation, size_t i) {
  NNVK_TRY(check_recurrent_activation(operation, i));
  if (operation.scalar<int32_t>(i) != 2) return {};
  return fail(Code::kOpFailed, "the activation RELU1 (2) is not defined for this operation");
}

Result<std::vector<Shape>> infer_unidirectional_rnn(const OperationView& operation) {
  NNVK_TRY(check_rank(operation, 0, 3, 3, Code::kOpFailed));
  const auto time_major = operation.scalar<int32_t>(6);
  if (time_major && *time_major != 0 && *time_major != 1) {
    return fail(Code::kOpFailed, "time_major must be 0 or 1, is " + std::to_string(*time_major));
  }
  NNVK_TRY(check_rnn_activation(operation, 5));
  const Sequence sequence = sequence_of(operation, time_major ? std::optional(*time_major == 1) : std::nullopt);
  NNVK_ASSIGN(const uint32_t units, check_rnn_cell(operation, 1, sequence.batch, sequence.size));
  std::vector<Shape> outputs{sequence_output(operation, units)};
  if (operation.outputs.size() > 1) outputs.push_back(Shape{sequence.batch, units});
  return outputs;
}

template <OperandType kT>
constexpr TypeRule kUnidirectionalRnnRule{3, types<kT, kT, kT, kT, kT, kInt32, kInt32>, types<kT, kT>};
constexpr TypeRule kUnidirectionalRnnTypes[] = {kUnidirectionalRnnRule<kTensorFloat16>, kUnidirectionalRnnRule<kTensorFloat32>};
constexpr Signature kUnidirectionalRnn[] = {
    {"output_only", 3, counts<7>, 1, kUnidirectionalRnnTypes},
    {"with_state_output", 4, counts<7>, 2, kUnidirectionalRnnTypes},
};

// --- BIDIRECTIONAL_SEQUENCE_RNN ---------------------------------------------------------------------------------------------

constexpr size_t kRnnAux = 9;  // auxiliary input, forward weights, backward weights

Result<std::vector<Shape>> infer_bidirectional_rnn(const OperationView& operation) {
  NNVK_TRY(check_rank(operation, 0, 3, 3, Code::kOpFailed));
  NNVK_TRY(check_rnn_activation(operation, 12));
  NNVK_ASSIGN(const Linking linking, linking_of(presence_of(operation, kRnnAux), presence_of(operation, kRnnAux + 1),
                                                presence_of(operation, kRnnAux + 2)));
  const Sequence sequence = sequence_of(operation, flag(operation, 13));
  const uint32_t aux_size = dimension_of(operation, kRnnAux, 2);
  NNVK_TRY(expect_auxiliary_sequence(operation, kRnnAux, aux_size));
  const uint32_t backward_input = backward_input_size(linking, sequence.size, aux_size);
  NNVK_ASSIGN(const uint32_t forward, check_rnn_cell(operation, 1, sequence.batch, sequence.size));
  NNVK_ASSIGN(const uint32_t backward, check_rnn_cell(operation, 5, sequence.batch, backward_input));
  NNVK_TRY(expect_optional_shape(operation, kRnnAux + 1, {forward, aux_size}));
  NNVK_TRY(expect_optional_shape(operation, kRnnAux + 2, {backward, aux_size}));
  constexpr size_t kStates = 2;
  // Counts 1 and 3 merge, 2 and 4 do not.
  NNVK_ASSIGN(std::vector<Shape> outputs, bidirectional_outputs(operation, 14, kStates, forward, backward));
  if (operation.outputs.size() > kStates) {
    outputs.push_back(Shape{sequence.batch, forward});
    outputs.push_back(Shape{sequence.batch, backward});
  }
  return outputs;
}

template <OperandType kT>
constexpr TypeRule kBidirectionalRnnRule{3, types<kT, kT, kT, kT, kT, kT, kT, kT, kT, kT, kT, kT, kInt32, kBool, kBool>,
                                         types<kT, kT, kT, kT>};
constexpr TypeRule kBidirectionalRnnTypes[] = {kBidirectionalRnnRule<kTensorFloat32>, kBidirectionalRnnRule<kTensorFloat16>};
constexpr Signature kBidirectionalRnn[] = {
    {"separate_outputs", 3, counts<15>, 2, kBidirectionalRnnTypes},
    {"merged_outputs", 3, counts<15>, 1, kBidirectionalRnnTypes},
    {"separate_outputs_with_state", 4, counts<15>, 4, kBidirectionalRnnTypes},
    {"merged_outputs_with_state", 4, counts<15>, 3, kBidirectionalRnnTypes},
};

}  // namespace

std::span<const OperationDefinition> sequence_recurrent_operations() {
  static const OperationDefinition rows[] = {
      {.code = OperationCode::kUnidirectionalSequenceLstm,
       .since = 3,
       .signatures = kUnidirectionalLstm,
       .optional_inputs = bits(1, 5, 9, 10, 11, 12, 16, 17, 24, 25, 26, 27),
       .infer = infer_unidirectional_lstm},
      // Inputs from 31 on share a bit: infer checks the required ones among them.
      {.code = OperationCode::kBidirectionalSequenceLstm,
       .since = 3,
       .signatures = kBidirectionalLstm,
       .optional_inputs = bits(1, 5, 9, 10, 11, 12, 16, 17, 18, 22, 26, 27, 28, 29, 31),
       .infer = infer_bidirectional_lstm},
      {.code = OperationCode::kUnidirectionalSequenceRnn,
       .since = 3,
       .signatures = kUnidirectionalRnn,
       .infer = infer_unidirectional_rnn},
      {.code = OperationCode::kBidirectionalSequenceRnn,
       .since = 3,
       .signatures = kBidirectionalRnn,
       .optional_inputs = bits(9, 10, 11),
       .infer = infer_bidirectional_rnn},
  };
  return rows;
}

}  // namespace nnvk
