// RNN, UNIDIRECTIONAL_SEQUENCE_RNN, BIDIRECTIONAL_SEQUENCE_RNN and SVDF with results worked out by hand.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>

#include "core/base/half.h"
#include "tests/cpu_fallback/reference/operation_outputs.h"

namespace nnvk::cpu {
namespace {

using namespace test;
using testing::ElementsAre;
using testing::FloatNear;
using enum OperandType;

// One RNN step with two units on one input of 2: W x = (2, -6), R h = (3, 0.5) and a bias of (1, 1).
std::vector<Operand> step_inputs(int32_t activation) {
  return {floats({1, 2}, {2, 3}), floats({2, 2}, {1, 0, 0, -2}), floats({2, 2}, {0, 3, 0.5F, 0}),
          floats({2}, {1, 1}),    floats({1, 2}, {1, 1}),        int_scalar(activation)};
}

std::vector<float> run_step(int32_t activation, size_t output) {
  const auto outputs =
      run_outputs(OperationCode::kRnn, step_inputs(activation), {output_of(kTensorFloat32), output_of(kTensorFloat32)});
  EXPECT_TRUE(outputs.status) << (outputs.status ? "" : outputs.status.error().message);
  return outputs.status ? outputs.values<float>(output) : std::vector<float>{};
}

TEST(Rnn, AStepAddsBiasInputAndStateThenAppliesTheActivation) {
  EXPECT_THAT(run_step(0, 1), ElementsAre(6, -4.5F));
  EXPECT_THAT(run_step(1, 1), ElementsAre(6, 0));
  EXPECT_THAT(run_step(2, 1), ElementsAre(1, -1));
  EXPECT_THAT(run_step(3, 1), ElementsAre(6, 0));
  EXPECT_THAT(run_step(4, 1), ElementsAre(FloatNear(std::tanh(6.0F), 1e-6F), FloatNear(std::tanh(-4.5F), 1e-6F)));
  EXPECT_THAT(run_step(6, 1), ElementsAre(FloatNear(0.997527F, 1e-6F), FloatNear(0.010987F, 1e-6F)));
}

TEST(Rnn, TheStateIsTheOutput) { EXPECT_EQ(run_step(4, 0), run_step(4, 1)); }

TEST(Rnn, UnknownActivationsFail) {
  for (const int32_t code : {-1, 5, 7}) {
    EXPECT_FALSE(
        run_outputs(OperationCode::kRnn, step_inputs(code), {output_of(kTensorFloat32), output_of(kTensorFloat32)}).status);
  }
}

// A running sum: one unit, all weights one.
std::vector<Operand> running_sum(const Operand& sequence, float state, int32_t activation, int32_t time_major) {
  const uint32_t batches = sequence.info.shape[time_major != 0 ? 1 : 0];
  return {sequence,
          floats({1, 1}, {1}),
          floats({1, 1}, {1}),
          floats({1}, {0}),
          floats({batches, 1}, std::vector<float>(batches, state)),
          int_scalar(activation),
          int_scalar(time_major)};
}

TEST(UnidirectionalSequenceRnn, EveryStepContinuesTheStateOfItsBatchRow) {
  constexpr auto kCode = OperationCode::kUnidirectionalSequenceRnn;
  const std::vector<OperandInfo> outputs = {output_of(kTensorFloat32), output_of(kTensorFloat32)};
  // Three steps of two rows: (1, 2, 3) and (10, 20, 30).
  const auto time_major = run_outputs(kCode, running_sum(floats({3, 2, 1}, {1, 10, 2, 20, 3, 30}), 100, 0, 1), outputs);
  ASSERT_TRUE(time_major.status);
  EXPECT_THAT(time_major.values<float>(0), ElementsAre(101, 110, 103, 130, 106, 160));
  EXPECT_THAT(time_major.values<float>(1), ElementsAre(106, 160));
  const auto batch_major = run_outputs(kCode, running_sum(floats({2, 3, 1}, {1, 2, 3, 10, 20, 30}), 100, 0, 0), outputs);
  ASSERT_TRUE(batch_major.status);
  EXPECT_THAT(batch_major.values<float>(0), ElementsAre(101, 103, 106, 110, 130, 160));
}

TEST(UnidirectionalSequenceRnn, HalfPrecisionIsRoundedBetweenSteps) {
  const auto halves = [](Shape shape, const std::vector<float>& values) {
    std::vector<uint16_t> bits;
    for (const float v : values) bits.push_back(float_to_half(v));
    return tensor(kTensorFloat16, std::move(shape), bits);
  };
  // 2048 + 1 rounds to 2048 in half precision, twice; in float32 the second sum would be 2050.
  const auto r = run_outputs(OperationCode::kUnidirectionalSequenceRnn,
                             {halves({2, 1, 1}, {1, 1}), halves({1, 1}, {1}), halves({1, 1}, {1}), halves({1}, {0}),
                              halves({1, 1}, {2048}), int_scalar(0), int_scalar(1)},
                             {output_of(kTensorFloat16)});
  ASSERT_TRUE(r.status);
  EXPECT_THAT(r.values<uint16_t>(0), ElementsAre(float_to_half(2048), float_to_half(2048)));
}

TEST(UnidirectionalSequenceRnn, Relu1AndOtherTimeMajorsFail) {
  const Operand x = floats({1, 1, 1}, {1});
  constexpr auto kCode = OperationCode::kUnidirectionalSequenceRnn;
  EXPECT_TRUE(run_outputs(kCode, running_sum(x, 0, 3, 1), {output_of(kTensorFloat32)}).status);
  EXPECT_FALSE(run_outputs(kCode, running_sum(x, 0, 2, 1), {output_of(kTensorFloat32)}).status);
  EXPECT_FALSE(run_outputs(kCode, running_sum(x, 0, 0, 2), {output_of(kTensorFloat32)}).status);
}

enum class Link { kNone, kParallel, kCross };

// Running sums in both directions over (1, 2, 4); the backward cell starts at 1000. The auxiliary input is (0.5, 0.25, 0.125).
std::vector<Operand> both_ways(Link link, bool merged) {
  const Operand one = floats({1, 1}, {1});
  const Operand zero_bias = floats({1}, {0});
  const Operand aux = link == Link::kNone ? omitted(kTensorFloat32) : floats({3, 1, 1}, {0.5F, 0.25F, 0.125F});
  const Operand aux_weights = link == Link::kCross ? one : omitted(kTensorFloat32);
  return {floats({3, 1, 1}, {1, 2, 4}),
          one,
          one,
          zero_bias,
          floats({1, 1}, {0}),
          one,
          one,
          zero_bias,
          floats({1, 1}, {1000}),
          aux,
          aux_weights,
          aux_weights,
          int_scalar(0),
          bool_scalar(true),
          bool_scalar(merged)};
}

std::vector<std::vector<float>> run_both_ways(Link link, bool merged, size_t output_count) {
  const auto r = run_outputs(OperationCode::kBidirectionalSequenceRnn, both_ways(link, merged),
                             std::vector<OperandInfo>(output_count, output_of(kTensorFloat32)));
  std::vector<std::vector<float>> values;
  if (!r.status) return values;
  for (size_t i = 0; i < output_count; ++i) values.push_back(r.values<float>(i));
  return values;
}

TEST(BidirectionalSequenceRnn, TheBackwardCellStartsAtTheEnd) {
  EXPECT_THAT(run_both_ways(Link::kNone, false, 4),
              ElementsAre(ElementsAre(1, 3, 7), ElementsAre(1007, 1006, 1004), ElementsAre(7), ElementsAre(1007)));
}

TEST(BidirectionalSequenceRnn, MergedOutputsLieSideBySide) {
  EXPECT_THAT(run_both_ways(Link::kNone, true, 3),
              ElementsAre(ElementsAre(1, 1007, 3, 1006, 7, 1004), ElementsAre(7), ElementsAre(1007)));
}

TEST(BidirectionalSequenceRnn, AnAuxiliaryInputAloneFeedsTheBackwardCell) {
  EXPECT_THAT(run_both_ways(Link::kParallel, false, 2),
              ElementsAre(ElementsAre(1, 3, 7), ElementsAre(1000.875F, 1000.375F, 1000.125F)));
}

TEST(BidirectionalSequenceRnn, AuxiliaryWeightsAddTheAuxiliaryInputToBothCells) {
  EXPECT_THAT(run_both_ways(Link::kCross, false, 2),
              ElementsAre(ElementsAre(1.5F, 3.75F, 7.875F), ElementsAre(1007.875F, 1006.375F, 1004.125F)));
}

TEST(BidirectionalSequenceRnn, MergingMustFitTheNumberOfOutputs) {
  EXPECT_TRUE(run_both_ways(Link::kNone, true, 2).empty());
  EXPECT_TRUE(run_both_ways(Link::kNone, false, 1).empty());
}

// One unit of two filters with a memory of three: features 10 and -1; filters weigh the memory oldest first.
std::vector<Operand> svdf_inputs(bool bias, int32_t activation, int32_t rank = 2) {
  return {floats({1, 1}, {2}),
          floats({2, 1}, {5, -0.5F}),
          floats({2, 3}, {1, 2, 3, 10, 20, 30}),
          bias ? floats({1}, {0.5F}) : omitted(kTensorFloat32),
          floats({1, 6}, {1, 2, 99, 3, 4, 99}),
          int_scalar(rank),
          int_scalar(activation)};
}

TEST(Svdf, TheNewFeatureTakesTheLastPlaceAndTheMemoryMovesOn) {
  const std::vector<OperandInfo> outputs = {output_of(kTensorFloat32), output_of(kTensorFloat32)};
  const auto r = run_outputs(OperationCode::kSvdf, svdf_inputs(true, 0), outputs);
  ASSERT_TRUE(r.status);
  EXPECT_THAT(r.values<float>(0), ElementsAre(2, 10, 0, 4, -1, 0));
  // (1 + 4 + 30) + (30 + 80 - 30) + 0.5
  EXPECT_THAT(r.values<float>(1), ElementsAre(115.5F));
  EXPECT_THAT(run_outputs(OperationCode::kSvdf, svdf_inputs(false, 3), outputs).values<float>(1), ElementsAre(6));
}

TEST(Svdf, RanksThatDoNotDivideTheFiltersFail) {
  const std::vector<OperandInfo> outputs = {output_of(kTensorFloat32), output_of(kTensorFloat32)};
  for (const int32_t rank : {0, -2, 3})
    EXPECT_FALSE(run_outputs(OperationCode::kSvdf, svdf_inputs(false, 0, rank), outputs).status);
  EXPECT_FALSE(run_outputs(OperationCode::kSvdf, svdf_inputs(false, 4), outputs).status);
}

}  // namespace
}  // namespace nnvk::cpu
