// Recurrent operations: which operands belong together, sizes, scales, decoded parameters.
#include <gtest/gtest.h>

#include "core/operations/parameters/lstm_parameters.h"
#include "core/operations/parameters/quantized_lstm_parameters.h"
#include "core/operations/parameters/rnn_parameters.h"
#include "core/operations/parameters/svdf_parameters.h"
#include "tests/support/single_operation.h"

namespace nnvk {
namespace {

using test::SingleOperation;

constexpr uint32_t kU = kUnknownDimension;
constexpr uint32_t kBatch = 2;
constexpr uint32_t kInput = 3;
constexpr uint32_t kUnits = 4;
constexpr uint32_t kOutput = 5;  // differs from the units: with projection
constexpr size_t kAbsent = SIZE_MAX;

// LSTM without peepholes and layer normalization; single operands can be omitted or replaced before infer().
struct LstmBuilder {
  bool coupled = false;
  bool projection = false;
  size_t omit = kAbsent;
  size_t add = kAbsent;  // gives an optional operand a value of shape [units]
  float clip = 0;

  SingleOperation build() const {
    SingleOperation op;
    const uint32_t out = projection ? kOutput : kUnits;
    std::vector<TensorId> inputs;
    const auto push = [&](bool given, Shape shape) {
      const size_t index = inputs.size();
      const bool present = (given || index == add) && index != omit;
      inputs.push_back(present ? op.input(std::move(shape)) : op.omitted(OperandType::kTensorFloat32));
    };
    push(true, {kBatch, kInput});
    for (int gate = 0; gate < 4; ++gate) push(gate != 0 || !coupled, {kUnits, kInput});
    for (int gate = 0; gate < 4; ++gate) push(gate != 0 || !coupled, {kUnits, out});
    for (int peephole = 0; peephole < 3; ++peephole) push(false, {kUnits});
    for (int gate = 0; gate < 4; ++gate) push(gate != 0 || !coupled, {kUnits});
    push(projection, {out, kUnits});
    push(false, {out});
    push(true, {kBatch, out});
    push(true, {kBatch, kUnits});
    inputs.push_back(op.scalar(4));
    inputs.push_back(op.float_scalar(clip));
    inputs.push_back(op.float_scalar(0));
    op.takes(OperationCode::kLstm, inputs, {op.output({kU, kU}), op.output({kU, kU}), op.output({kU, kU}), op.output({kU, kU})});
    return op;
  }
};

TEST(Lstm, OutputsAreScratchStateCellAndOutput) {
  auto plain = LstmBuilder{}.build();
  EXPECT_EQ(plain.check(), Code::kNoError);
  EXPECT_EQ(plain.infer().value(), (std::vector<Shape>{{2, 16}, {2, 4}, {2, 4}, {2, 4}}));
  EXPECT_EQ((LstmBuilder{.coupled = true}).build().infer().value()[0], (Shape{2, 12}));
  EXPECT_EQ((LstmBuilder{.projection = true}).build().infer().value(), (std::vector<Shape>{{2, 16}, {2, 5}, {2, 4}, {2, 5}}));
}

TEST(Lstm, OperandsThatBelongTogetherAreGivenTogether) {
  for (const size_t required : {0, 1, 2, 3, 4, 5, 6, 7, 8, 12, 13, 14, 15, 18, 19}) {
    EXPECT_EQ((LstmBuilder{.omit = required}).build().infer_code(), Code::kOpFailed) << "without input " << required;
  }
  for (const size_t alone : {9, 10, 11}) {
    EXPECT_EQ((LstmBuilder{.add = alone}).build().infer_code(), Code::kOpFailed) << "with peephole " << alone << " alone";
  }
  EXPECT_EQ((LstmBuilder{.coupled = true, .add = 12}).build().infer_code(), Code::kOpFailed);
  EXPECT_EQ((LstmBuilder{.add = 17}).build().infer_code(), Code::kOpFailed) << "projection bias without projection";
  EXPECT_EQ((LstmBuilder{.projection = true, .add = 17}).build().infer_code(), Code::kNoError);
}

TEST(Lstm, IsDecodedAsOneStepWithItsModes) {
  const LstmParameters p = (LstmBuilder{.coupled = true, .projection = true, .clip = 2}).build().decode(lstm_parameters).value();
  EXPECT_EQ(p.steps, 1U);
  EXPECT_EQ(p.batch, kBatch);
  EXPECT_EQ(p.activation, RecurrentActivation::kTanh);
  EXPECT_EQ(p.cell_clip, 2.0F);
  EXPECT_EQ(p.scratch, lstm::kScratch);
  const LstmDirection& d = p.directions.at(0);
  EXPECT_EQ(d.input_size, kInput);
  EXPECT_EQ(d.units, kUnits);
  EXPECT_EQ(d.output_size, kOutput);
  EXPECT_TRUE(d.coupled && d.projection);
  EXPECT_FALSE(d.peephole || d.layer_norm || d.projection_bias);
  EXPECT_EQ(d.output, lstm::kOutput);
  EXPECT_EQ(d.cell_state, lstm::kNewCellState);
}

TEST(Lstm, ClipsMustNotBeNegative) { EXPECT_EQ((LstmBuilder{.clip = -1}).build().infer_code(), Code::kOpFailed); }

TEST(Lstm, WrongWeightShapesFail) {
  auto op = LstmBuilder{}.build();
  op.raw().tensors[op.raw().nodes[0].inputs[6]].info.shape = Shape{kUnits, kUnits + 1};
  EXPECT_EQ(op.infer_code(), Code::kOpFailed);
}

SingleOperation make_rnn(int32_t activation, Shape state) {
  SingleOperation op;
  const std::vector<TensorId> inputs{op.input({kBatch, kInput}), op.input({kUnits, kInput}), op.input({kUnits, kUnits}),
                                     op.input({kUnits}),         op.input(std::move(state)), op.scalar(activation)};
  op.takes(OperationCode::kRnn, inputs, {op.output(Shape::unknown_rank()), op.output(Shape::unknown_rank())});
  return op;
}

TEST(Rnn, StateAndOutputHaveOneRowPerBatch) {
  EXPECT_EQ(make_rnn(0, {kBatch, kUnits}).infer().value(), (std::vector<Shape>{{2, 4}, {2, 4}}));
  EXPECT_EQ(make_rnn(5, {kBatch, kUnits}).infer_code(), Code::kOpFailed);
  EXPECT_EQ(make_rnn(0, {kBatch, kInput}).infer_code(), Code::kOpFailed);
}

SingleOperation make_svdf(int32_t rank, Shape state) {
  SingleOperation op;
  const std::vector<TensorId> inputs{
      op.input({2, 3}),           op.input({8, 3}), op.input({8, 10}), op.omitted(OperandType::kTensorFloat32),
      op.input(std::move(state)), op.scalar(rank),  op.scalar(0)};
  op.takes(OperationCode::kSvdf, inputs, {op.output(Shape::unknown_rank()), op.output(Shape::unknown_rank())});
  return op;
}

TEST(Svdf, FiltersAreUnitsTimesRank) {
  const SvdfParameters p = make_svdf(2, {2, 80}).decode(svdf_parameters).value();
  EXPECT_EQ(p.filters, 8U);
  EXPECT_EQ(p.units, 4U);
  EXPECT_EQ(p.memory, 10U);
  EXPECT_FALSE(p.has_bias);
  EXPECT_EQ(make_svdf(2, {2, 80}).infer().value(), (std::vector<Shape>{{2, 80}, {2, 4}}));
  EXPECT_EQ(make_svdf(3, {2, 80}).infer_code(), Code::kOpFailed);
  EXPECT_EQ(make_svdf(0, {2, 80}).infer_code(), Code::kOpFailed);
  EXPECT_EQ(make_svdf(-2, {2, 80}).infer_code(), Code::kOpFailed);
  EXPECT_EQ(make_svdf(2, {2, 72}).infer_code(), Code::kOpFailed);
}

TEST(Quantized16BitLstm, ScalesAreFixed) {
  const auto build = [](float input_scale, float bias_scale, float cell_scale) {
    SingleOperation op;
    const auto type = OperandType::kTensorQuant8Asymm;
    std::vector<TensorId> inputs{op.input({2, 3}, type, input_scale, 128)};
    for (int i = 0; i < 4; ++i) inputs.push_back(op.input({4, 3}, type, 0.5F, 100));
    for (int i = 0; i < 4; ++i) inputs.push_back(op.input({4, 4}, type, 0.5F, 100));
    for (int i = 0; i < 4; ++i) inputs.push_back(op.input({4}, OperandType::kTensorInt32, bias_scale));
    inputs.push_back(op.input({2, 4}, OperandType::kTensorQuant16Symm, cell_scale));
    inputs.push_back(op.input({2, 4}, type, 1.0F / 128, 128));
    op.takes(OperationCode::kQuantized16bitLstm, inputs,
             {op.output({2, 4}, OperandType::kTensorQuant16Symm, cell_scale), op.output({2, 4}, type, 1.0F / 128, 128)});
    EXPECT_EQ(op.check(), Code::kNoError);
    return op.infer_code();
  };
  EXPECT_EQ(build(1.0F / 128, 0.5F / 128, 1.0F / 2048), Code::kNoError);
  EXPECT_EQ(build(1.0F / 64, 0.5F / 128, 1.0F / 2048), Code::kOpFailed);
  EXPECT_EQ(build(1.0F / 128, 0.5F / 64, 1.0F / 2048), Code::kOpFailed);
  EXPECT_EQ(build(1.0F / 128, 0.5F / 128, 1.0F / 1024), Code::kOpFailed);
  EXPECT_EQ(build(1.0F / 128, 0.5F / 128, 0.0F), Code::kOpFailed);
}

// Units 4, without peepholes, projection and layer normalization; the gates have scale 1, the cell state 2^-11.
SingleOperation quantized_cell(float cell_clip, TensorId (*hidden_zero_point)(SingleOperation&)) {
  using enum OperandType;
  SingleOperation op;
  std::vector<TensorId> inputs{op.input({kBatch, kInput}, kTensorQuant8AsymmSigned, 0.5F, 3)};
  for (int i = 0; i < 4; ++i) inputs.push_back(op.input({kUnits, kInput}, kTensorQuant8Symm, 0.25F));
  for (int i = 0; i < 4; ++i) inputs.push_back(op.input({kUnits, kUnits}, kTensorQuant8Symm, 0.25F));
  for (int i = 0; i < 3; ++i) inputs.push_back(op.omitted(kTensorQuant16Symm));
  for (int i = 0; i < 4; ++i) inputs.push_back(op.input({kUnits}, kTensorInt32));
  inputs = test::join(inputs, {op.omitted(kTensorQuant8Symm), op.omitted(kTensorInt32)});
  inputs.push_back(op.input({kBatch, kUnits}, kTensorQuant8AsymmSigned, 1.0F, 7));
  inputs.push_back(op.input({kBatch, kUnits}, kTensorQuant16Symm, 1.0F / 2048));
  for (int i = 0; i < 4; ++i) inputs.push_back(op.omitted(kTensorQuant16Symm));
  for (const float value : {cell_clip, 0.0F, 1.0F, 1.0F, 1.0F, 1.0F}) inputs.push_back(op.float_scalar(value));
  inputs.push_back(hidden_zero_point(op));
  inputs.push_back(op.float_scalar(1.0F / 128));
  op.takes(OperationCode::kQuantizedLstm, inputs,
           {op.output({kU, kU}, kTensorQuant8AsymmSigned), op.output({kU, kU}, kTensorQuant16Symm),
            op.output({kU, kU}, kTensorQuant8AsymmSigned)});
  return op;
}

TEST(QuantizedLstm, MultipliersAndLimitsFollowFromScales) {
  const auto known = [](SingleOperation& op) { return op.scalar(-5); };
  EXPECT_EQ(quantized_cell(4.0F, known).infer_code(), Code::kNoError);
  const QuantizedLstmParameters p = quantized_cell(4.0F, known).decode(quantized_lstm_parameters).value();
  EXPECT_EQ(p.units, kUnits);
  EXPECT_EQ(p.cell_integer_bits, 4);
  EXPECT_EQ(p.cell_clip, 8192) << "4 in steps of 2^-11";
  EXPECT_EQ(p.hidden_zero_point, -5);
  EXPECT_EQ(p.output_zero_point, 7);
  EXPECT_EQ(p.gates[kLstmForgetGate].input.mantissa, 1 << 30);
  EXPECT_EQ(p.gates[kLstmForgetGate].input.exponent, -2) << "0.5 * 0.25 is 0.5 * 2^-2";
  EXPECT_EQ(quantized_cell(0.0F, known).decode(quantized_lstm_parameters).value().cell_clip, 32768) << "off";
  const auto unknown = quantized_cell(0.0F, [](SingleOperation& op) { return op.unknown_scalar(); });
  EXPECT_EQ(SingleOperation(unknown).decode(quantized_lstm_parameters).error().code, Code::kOpFailed);
}

SingleOperation bidirectional_rnn(bool merge, size_t outputs, bool auxiliary, bool auxiliary_weights) {
  SingleOperation op;
  const auto optional = [&](bool given, Shape shape) {
    return given ? op.input(std::move(shape)) : op.omitted(OperandType::kTensorFloat32);
  };
  std::vector<TensorId> inputs{op.input({7, 2, 3})};
  const bool parallel = auxiliary && !auxiliary_weights;
  for (const uint32_t units : {4U, 5U}) {
    inputs.push_back(op.input({units, units == 5 && parallel ? 6U : 3U}));
    inputs.push_back(op.input({units, units}));
    inputs.push_back(op.input({units}));
    inputs.push_back(op.input({2, units}));
  }
  inputs.push_back(optional(auxiliary, {7, 2, 6}));
  inputs.push_back(optional(auxiliary_weights, {4, 6}));
  inputs.push_back(optional(auxiliary_weights, {5, 6}));
  inputs.push_back(op.scalar(0));
  inputs.push_back(op.flag(true));
  inputs.push_back(op.flag(merge));
  std::vector<TensorId> results;
  for (size_t i = 0; i < outputs; ++i) results.push_back(op.output(Shape::unknown_rank()));
  op.takes(OperationCode::kBidirectionalSequenceRnn, inputs, results);
  return op;
}

TEST(BidirectionalRnn, MergedOutputsAreJoinedOnTheLastDimension) {
  EXPECT_EQ(bidirectional_rnn(false, 2, false, false).infer().value(), (std::vector<Shape>{{7, 2, 4}, {7, 2, 5}}));
  EXPECT_EQ(bidirectional_rnn(true, 1, false, false).infer().value(), (std::vector<Shape>{{7, 2, 9}}));
  EXPECT_EQ(bidirectional_rnn(false, 4, false, false).infer().value(),
            (std::vector<Shape>{{7, 2, 4}, {7, 2, 5}, {2, 4}, {2, 5}}));
  EXPECT_EQ(bidirectional_rnn(true, 3, false, false).infer().value(), (std::vector<Shape>{{7, 2, 9}, {2, 4}, {2, 5}}));
  EXPECT_EQ(bidirectional_rnn(true, 2, false, false).infer_code(), Code::kOpFailed);
  EXPECT_EQ(bidirectional_rnn(false, 1, false, false).infer_code(), Code::kOpFailed);
}

TEST(BidirectionalRnn, MergedDirectionsWriteColumnsOfOneOutput) {
  const RnnParameters merged = bidirectional_rnn(true, 3, false, false).decode(rnn_parameters).value();
  EXPECT_EQ(merged.steps, 7U);
  EXPECT_EQ(merged.batch, 2U);
  EXPECT_EQ(merged.row(3, 1), 7U);
  EXPECT_EQ(merged.directions[1].output, 0U);
  EXPECT_EQ(merged.directions[1].output_column, 4U);
  EXPECT_EQ(merged.directions[1].state_output, 2U);
  const RnnParameters separate = bidirectional_rnn(false, 4, false, false).decode(rnn_parameters).value();
  EXPECT_EQ(separate.directions[1].output, 1U);
  EXPECT_EQ(separate.directions[0].state_output, 2U);
}

TEST(BidirectionalRnn, TheAuxiliaryInputIsReadBesideOrInPlaceOfTheInput) {
  using namespace bidirectional_sequence_rnn;
  const RnnParameters parallel = bidirectional_rnn(false, 2, true, false).decode(rnn_parameters).value();
  EXPECT_EQ(parallel.directions[1].input, kAuxiliaryInput);
  EXPECT_FALSE(parallel.directions[0].auxiliary);
  const RnnParameters cross = bidirectional_rnn(false, 2, true, true).decode(rnn_parameters).value();
  EXPECT_EQ(cross.directions[1].input, kSequenceInput);
  EXPECT_EQ(cross.directions[1].auxiliary, kAuxiliaryInput);
  EXPECT_EQ(cross.directions[1].auxiliary_weights, kBackwardAuxiliaryWeights);
  EXPECT_EQ(cross.directions[1].auxiliary_size, 6U);
}

TEST(BidirectionalRnn, TheAuxiliaryInputComesAloneOrWithAllItsWeights) {
  EXPECT_EQ(bidirectional_rnn(false, 2, true, false).infer_code(), Code::kNoError);
  EXPECT_EQ(bidirectional_rnn(false, 2, true, true).infer_code(), Code::kNoError);
  EXPECT_EQ(bidirectional_rnn(false, 2, false, true).infer_code(), Code::kOpFailed);
}

}  // namespace
}  // namespace nnvk
