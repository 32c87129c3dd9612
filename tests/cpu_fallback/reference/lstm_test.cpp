// The LSTM operations with results worked out by hand. Gates are set through their biases: sigmoid(0) = 1/2, sigmoid(ln 3) = 3/4,
// and with activation 0 the cell gate and the cell state pass as they are.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <map>

#include "core/base/half.h"
#include "tests/cpu_fallback/reference/device_runner.h"
#include "tests/support/lstm_case.h"

namespace nnvk::cpu {
namespace {

using nnvk::test::LstmCase;
using nnvk::test::LstmOperand;
using testing::ElementsAre;
using testing::FloatNear;
using testing::Pointwise;
using enum OperationCode;
using enum OperandType;

const float kLn3 = std::log(3.0F);
constexpr int32_t kIdentity = 0;

// Input numbers; the backward cell of a bidirectional operation is 17 further.
enum Input : size_t {
  kX = 0,
  kInputWeights = 1,  // input, forget, cell, output gate
  kRecurrentWeights = 5,
  kPeepholes = 9,  // input, forget, output gate
  kBiases = 12,
  kProjection = 16,
  kProjectionBias = 17,
  kH = 18,  // of LSTM and the unidirectional operation
  kC = 19,
};
constexpr size_t kBackward = 17;

using Values = std::map<size_t, std::vector<float>>;

std::vector<std::byte> bytes_of(OperandType type, const std::vector<float>& values) {
  std::vector<std::byte> bytes;
  const auto append = [&bytes](auto value) {
    const auto* from = reinterpret_cast<const std::byte*>(&value);
    bytes.insert(bytes.end(), from, from + sizeof value);
  };
  for (const float value : values) {
    if (type == kInt32)
      append(static_cast<int32_t>(value));
    else if (type == kBool)
      append(static_cast<uint8_t>(value));
    else if (type == kFloat16 || type == kTensorFloat16)
      append(float_to_half(value));
    else
      append(value);
  }
  return bytes;
}

// All outputs; none when the operation fails.
Result<std::vector<std::vector<float>>> run(const LstmCase& lstm, const Values& values) {
  std::vector<LstmOperand> inputs = lstm.inputs();
  for (const auto& [i, v] : values) {
    EXPECT_EQ(inputs.at(i).values.size(), v.size()) << "input " << i;
    inputs[i].values = v;
  }
  std::vector<std::vector<std::byte>> bytes;
  for (const LstmOperand& input : inputs) bytes.push_back(bytes_of(input.info.type, input.values));
  std::vector<OperandView> views;
  for (size_t i = 0; i < inputs.size(); ++i) views.push_back({&inputs[i].info, inputs[i].given, bytes[i]});
  std::vector<OperandInfo> outputs = lstm.outputs();
  std::vector<const OperandInfo*> declared;
  for (const OperandInfo& output : outputs) declared.push_back(&output);
  NNVK_ASSIGN(const std::vector<Shape> shapes, infer_output_shapes(OperationView{lstm.code, views, declared}));
  std::vector<std::vector<std::byte>> results;
  for (size_t i = 0; i < outputs.size(); ++i) {
    EXPECT_EQ(shapes[i], outputs[i].shape);
    results.emplace_back(*outputs[i].byte_size(), std::byte{0x77});
  }
  const std::vector<std::span<std::byte>> spans(results.begin(), results.end());
  PlanNode node;
  node.code = lstm.code;
  NNVK_TRY(reference_evaluator()(Plan{}, node, views, outputs, spans));
  std::vector<std::vector<float>> floats;
  for (const auto& result : results) {
    std::vector<float>& list = floats.emplace_back();
    if (lstm.type == kTensorFloat16) {
      for (size_t i = 0; i < result.size(); i += 2) {
        uint16_t half;
        std::memcpy(&half, result.data() + i, 2);
        list.push_back(half_to_float(half));
      }
    } else {
      list.resize(result.size() / 4);
      std::memcpy(list.data(), result.data(), result.size());
    }
  }
  return floats;
}

LstmCase one_step(LstmCase lstm = {}) {
  lstm.code = kLstm;
  lstm.activation = kIdentity;
  return lstm;
}

TEST(Lstm, ForgetsHalfAndRemembersHalf) {
  // c = 4/2 + 2/2 = 3, h = 3/2; outputs: scratch, h, c, h.
  const auto out = run(one_step(), {{kBiases + 2, {2}}, {kC, {4}}});
  ASSERT_TRUE(out) << out.error().message;
  EXPECT_THAT((*out)[0], ElementsAre(0, 0, 0, 0));
  EXPECT_THAT((*out)[1], ElementsAre(1.5F));
  EXPECT_THAT((*out)[2], ElementsAre(3));
  EXPECT_THAT((*out)[3], ElementsAre(1.5F));
}

TEST(Lstm, EveryGateHasItsOwnWeights) {
  // Two inputs, two outputs: z_c = {1*2 + 10*3 + 5*7, 100*2 + ...}: unit 1 reads only the recurrent state of unit 0.
  const auto out = run(one_step({.input_size = 2, .units = 2}), {{kX, {2, 3}},
                                                                 {kInputWeights + 2, {1, 10, 0, 0}},
                                                                 {kRecurrentWeights + 2, {0, 5, 1, 0}},
                                                                 {kBiases + 1, {kLn3, 0}},
                                                                 {kBiases + 3, {0, kLn3}},
                                                                 {kH, {9, 7}},
                                                                 {kC, {4, 8}}});
  // Unit 0: f = 3/4, c = 3 + 67/2 = 36.5, h = 18.25. Unit 1: c = 4 + 9/2 = 8.5, o = 3/4, h = 6.375.
  EXPECT_THAT((*out)[2], Pointwise(FloatNear(1e-5F), {36.5F, 8.5F}));
  EXPECT_THAT((*out)[3], Pointwise(FloatNear(1e-5F), {18.25F, 6.375F}));
}

TEST(Lstm, ACoupledInputGateIsWhatTheForgetGateLeaves) {
  // f = 3/4, i = 1/4: c = 3 + 2 = 5. CIFG has three blocks of scratch.
  const auto out = run(one_step({.coupled = true}), {{kBiases + 1, {kLn3}}, {kBiases + 2, {8}}, {kC, {4}}});
  ASSERT_TRUE(out) << out.error().message;
  EXPECT_EQ((*out)[0].size(), 3U);
  EXPECT_THAT((*out)[2], Pointwise(FloatNear(1e-5F), {5.0F}));
}

TEST(Lstm, PeepholesOfInputAndForgetGateSeeTheOldStateAndThatOfTheOutputGateTheNewOne) {
  // Old state 2: i = f = sigmoid(ln 3 / 2 * 2) = 3/4; c = 1.5 + 3/4 * 6 = 6, clipped to 4; o = sigmoid(-ln 3 / 4 * 4) = 1/4.
  LstmCase lstm = one_step({.peephole = true});
  lstm.cell_clip = 4;
  const auto out =
      run(lstm,
          {{kPeepholes, {kLn3 / 2}}, {kPeepholes + 1, {kLn3 / 2}}, {kPeepholes + 2, {-kLn3 / 4}}, {kBiases + 2, {6}}, {kC, {2}}});
  ASSERT_TRUE(out) << out.error().message;
  EXPECT_THAT((*out)[2], ElementsAre(4));
  EXPECT_THAT((*out)[3], Pointwise(FloatNear(1e-5F), {1.0F}));
}

TEST(Lstm, ProjectsAddsItsBiasAndClips) {
  // m = {1, 2}: h = {1 + 20 + 0.5, 3 - 2 + 0}, clipped to 10.
  LstmCase lstm = one_step({.units = 2, .projected = 2, .projection_bias = true});
  lstm.projection_clip = 10;
  const Values values = {{kBiases + 2, {4, 8}}, {kProjection, {1, 10, 3, -1}}, {kProjectionBias, {0.5F, 0}}};
  EXPECT_THAT((*run(lstm, values))[3], Pointwise(FloatNear(1e-5F), {10.0F, 1.0F}));
  lstm.projection_clip = 0;
  EXPECT_THAT((*run(lstm, values))[3], Pointwise(FloatNear(1e-5F), {21.5F, 1.0F}));
}

TEST(Lstm, WithoutAProjectionItsClipMeansNothing) {
  LstmCase lstm = one_step();
  lstm.projection_clip = 0.001F;
  EXPECT_THAT((*run(lstm, {{kC, {4}}}))[3], ElementsAre(1));
}

TEST(Lstm, NormalizesEveryGateOverItsUnitsBeforeTheBias) {
  // Cell gate: z = {1, 3}, mean 2, variance 1, times gains {2, 4}, plus biases {0, 1}: {-2, 5}. The other gates see z = 0.
  LstmCase lstm = one_step({.units = 2, .layer_norm = true});
  const auto out = run(lstm, {{kX, {1}}, {kInputWeights + 2, {1, 3}}, {25, {2, 4}}, {kBiases + 2, {0, 1}}, {kC, {2, 2}}});
  ASSERT_TRUE(out) << out.error().message;
  EXPECT_THAT((*out)[2], Pointwise(FloatNear(1e-5F), {0.0F, 3.5F}));
}

TEST(Lstm, NormalizesTheOutputGateBehindItsPeephole) {
  // c = {1, 3}; peephole 1: the output gate sees {1, 3}, normalized {-1, 1}, times ln 3: o = {1/4, 3/4}.
  LstmCase lstm = one_step({.units = 2, .peephole = true, .layer_norm = true});
  const auto out = run(lstm, {{kPeepholes + 2, {1, 1}}, {26, {kLn3, kLn3}}, {kC, {2, 6}}});
  EXPECT_THAT((*out)[2], Pointwise(FloatNear(1e-5F), {1.0F, 3.0F}));
  EXPECT_THAT((*out)[3], Pointwise(FloatNear(1e-5F), {0.25F, 2.25F}));
}

TEST(Lstm, ActivationsAreAppliedToCellGateAndState) {
  // c = act(z) / 2 with z = -3 and 9; h = act(c) / 2.
  const std::map<int32_t, std::pair<float, float>> states = {{0, {-1.5F, 4.5F}},
                                                             {1, {0.0F, 4.5F}},
                                                             {2, {-0.5F, 0.5F}},
                                                             {3, {0.0F, 3.0F}},
                                                             {4, {std::tanh(-3.0F) / 2, std::tanh(9.0F) / 2}},
                                                             {6, {0.5F / (1 + std::exp(3.0F)), 0.5F / (1 + std::exp(-9.0F))}}};
  const std::map<int32_t, std::pair<float, float>> results = {
      {0, {-0.75F, 2.25F}}, {1, {0.0F, 2.25F}}, {2, {-0.25F, 0.25F}}, {3, {0.0F, 1.5F}}};
  for (const auto& [code, state] : states) {
    LstmCase lstm = one_step({.units = 2});
    lstm.activation = code;
    const auto out = run(lstm, {{kBiases + 2, {-3, 9}}});
    ASSERT_TRUE(out) << out.error().message;
    EXPECT_THAT((*out)[2], Pointwise(FloatNear(1e-5F), {state.first, state.second})) << code;
    if (!results.contains(code)) continue;
    EXPECT_THAT((*out)[3], Pointwise(FloatNear(1e-5F), {results.at(code).first, results.at(code).second})) << code;
  }
  for (const int32_t code : {-1, 5, 7, INT32_MIN}) {
    LstmCase lstm = one_step();
    lstm.activation = code;
    EXPECT_EQ(run(lstm, {}).error().code, Code::kOpFailed) << code;
  }
}

TEST(Lstm, NegativeClipsFailWhereTheSpecificationSaysSoAndElseTurnClippingOff) {
  for (const OperationCode code : {kLstm, kBidirectionalSequenceLstm}) {
    LstmCase lstm{.code = code};
    lstm.cell_clip = -1;
    EXPECT_EQ(run(lstm, {}).error().code, Code::kOpFailed);
    lstm.cell_clip = 0;
    lstm.projection_clip = -1;
    EXPECT_EQ(run(lstm, {}).error().code, Code::kOpFailed);
  }
  LstmCase lstm;
  lstm.activation = kIdentity;
  lstm.cell_clip = -1;
  EXPECT_THAT((*run(lstm, {{kC, {8}}}))[2], ElementsAre(4));
}

TEST(SequenceLstm, CarriesItsStateFromStepToStepInBothLayouts) {
  // c = c/2 + x/2, h = c/2. Batch row 0 reads 8, 4; row 1 reads 0, 2: c = 4, 4 and 0, 1.
  LstmCase lstm{.steps = 2, .batch = 2};
  lstm.activation = kIdentity;
  auto out = run(lstm, {{kX, {8, 0, 4, 2}}, {kInputWeights + 2, {1}}});
  ASSERT_TRUE(out) << out.error().message;
  EXPECT_THAT((*out)[0], ElementsAre(2, 0, 2, 0.5F));
  EXPECT_THAT((*out)[1], ElementsAre(2, 0.5F));
  EXPECT_THAT((*out)[2], ElementsAre(4, 1));
  lstm.time_major = false;
  lstm.state_outputs = false;
  out = run(lstm, {{kX, {8, 4, 0, 2}}, {kInputWeights + 2, {1}}});
  EXPECT_THAT((*out)[0], ElementsAre(2, 2, 0, 0.5F));
}

TEST(SequenceLstm, FeedsItsOutputBack) {
  // z_c = h: c = c/2 + h/2, h = c/2. From c = 16, h = 0: c = 8, h = 4; c = 6, h = 3; c = 4.5.
  LstmCase lstm{.steps = 3};
  lstm.activation = kIdentity;
  EXPECT_THAT((*run(lstm, {{kRecurrentWeights + 2, {1}}, {kC, {16}}}))[0], ElementsAre(4, 3, 2.25F));
}

TEST(SequenceLstm, HalfStatesAreRoundedBehindTheLastStepOnly) {
  // c = 2047/2 + 0.25/2 = 1023.625, which is no half; the nearest one, 1023.5, would leave 0 after the second step.
  LstmCase lstm{.type = kTensorFloat16, .steps = 2};
  lstm.activation = kIdentity;
  const auto out = run(lstm, {{kInputWeights + 2, {1}}, {kX, {0.25F, -1023.5F}}, {kC, {2047}}});
  ASSERT_TRUE(out) << out.error().message;
  EXPECT_THAT((*out)[2], ElementsAre(0.0625F));
}

TEST(BidirectionalLstm, RunsBackwardFromTheLastStepAndKeepsTheOrderOfTime) {
  // Both cells: c = c/2 + x/2, h = c/2 over 8, 4. Forward c = 4, 4; backward c = 2 (time 1), then 5 (time 0).
  LstmCase lstm{.code = kBidirectionalSequenceLstm, .steps = 2};
  lstm.activation = kIdentity;
  const Values values = {{kX, {8, 4}}, {kInputWeights + 2, {1}}, {kBackward + kInputWeights + 2, {1}}};
  auto out = run(lstm, values);
  ASSERT_TRUE(out) << out.error().message;
  EXPECT_THAT((*out)[0], ElementsAre(2, 2));
  EXPECT_THAT((*out)[1], ElementsAre(2.5F, 1));
  EXPECT_THAT((*out)[2], ElementsAre(2));  // forward h and c
  EXPECT_THAT((*out)[3], ElementsAre(4));
  EXPECT_THAT((*out)[4], ElementsAre(2.5F));  // backward h and c, after time 0
  EXPECT_THAT((*out)[5], ElementsAre(5));
  lstm.merged = true;
  out = run(lstm, values);
  ASSERT_TRUE(out) << out.error().message;
  EXPECT_THAT((*out)[0], ElementsAre(2, 2.5F, 2, 1));
  EXPECT_THAT((*out)[4], ElementsAre(5));
}

TEST(BidirectionalLstm, ParallelLinkingFeedsTheAuxiliaryInputToTheBackwardCell) {
  LstmCase lstm{.code = kBidirectionalSequenceLstm, .auxiliary_size = 2};
  lstm.activation = kIdentity;
  const auto out = run(lstm, {{kX, {8}}, {kInputWeights + 2, {1}}, {kBackward + kInputWeights + 2, {1, 10}}, {39, {4, 2}}});
  ASSERT_TRUE(out) << out.error().message;
  EXPECT_THAT((*out)[0], ElementsAre(2));
  EXPECT_THAT((*out)[1], ElementsAre(6));
}

TEST(BidirectionalLstm, CrossLinkingAddsTheAuxiliaryInputToBothCells) {
  LstmCase lstm{.code = kBidirectionalSequenceLstm, .auxiliary_size = 1, .auxiliary_weights = true};
  lstm.activation = kIdentity;
  const auto out = run(
      lstm,
      {{kX, {8}}, {kInputWeights + 2, {1}}, {kBackward + kInputWeights + 2, {2}}, {39, {4}}, {40 + 2, {10}}, {44 + 2, {100}}});
  ASSERT_TRUE(out) << out.error().message;
  EXPECT_THAT((*out)[0], ElementsAre(12));   // (8 + 40) / 4
  EXPECT_THAT((*out)[1], ElementsAre(104));  // (16 + 400) / 4
}

TEST(BidirectionalLstm, TheNumberOfOutputsMustAgreeWithMerging) {
  LstmCase lstm{.code = kBidirectionalSequenceLstm};
  EXPECT_EQ(run(lstm, {{51, {1}}}).error().code, Code::kOpFailed);
  lstm.merged = true;
  EXPECT_EQ(run(lstm, {{51, {0}}}).error().code, Code::kOpFailed);
}

}  // namespace
}  // namespace nnvk::cpu
