// QUANTIZED_16BIT_LSTM and QUANTIZED_LSTM with results worked out by hand.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>

#include "tests/cpu_fallback/reference/operation_outputs.h"

namespace nnvk::cpu {
namespace {

using namespace test;
using testing::ElementsAre;
using enum OperandType;

// --- QUANTIZED_16BIT_LSTM: two inputs, one unit -----------------------------------------------------------------------------

constexpr float kWeightScale = 1.0F / 16;
constexpr int32_t kWeightZeroPoint = 100;

// All weights are zero but those of the cell gate, whose row is (recurrent, input 0, input 1).
std::vector<Operand> cell_16bit(std::vector<uint8_t> x, uint8_t h, uint8_t recurrent, std::vector<uint8_t> input_weights,
                                int16_t cell) {
  std::vector<Operand> in = {quant8({1, 2}, x, 1.0F / 128, 128)};
  for (int gate = 0; gate < 4; ++gate) {
    in.push_back(quant8({1, 2}, gate == 2 ? input_weights : std::vector<uint8_t>{100, 100}, kWeightScale, kWeightZeroPoint));
  }
  for (int gate = 0; gate < 4; ++gate) {
    in.push_back(quant8({1, 1}, {gate == 2 ? recurrent : uint8_t{100}}, kWeightScale, kWeightZeroPoint));
  }
  for (int gate = 0; gate < 4; ++gate) in.push_back(tensor<int32_t>(kTensorInt32, {1}, {0}, kWeightScale / 128));
  in.push_back(tensor<int16_t>(kTensorQuant16Symm, {1, 1}, {cell}, 1.0F / 2048));
  in.push_back(quant8({1, 1}, {h}, 1.0F / 128, 128));
  return in;
}

struct Step16bit {
  int16_t cell = 0;
  uint8_t output = 0;
};

Step16bit run_16bit(const std::vector<Operand>& inputs) {
  const auto r = run_outputs(OperationCode::kQuantized16bitLstm, inputs,
                             {output_of(kTensorQuant16Symm, 1.0F / 2048), output_of(kTensorQuant8Asymm, 1.0F / 128, 128)});
  EXPECT_TRUE(r.status) << (r.status ? "" : r.status.error().message);
  if (!r.status) return {};
  return {r.values<int16_t>(0)[0], r.values<uint8_t>(1)[0]};
}

TEST(Quantized16bitLstm, WithoutSignalEveryGateIsHalfOpen) {
  const Step16bit step = run_16bit(cell_16bit({128, 128}, 128, 100, {100, 100}, 2048));
  EXPECT_EQ(step.cell, 1024);   // 1.0 / 2
  EXPECT_EQ(step.output, 158);  // tanh(0.5) / 2 = 0.2311 = 29.6 steps
}

TEST(Quantized16bitLstm, TheDataRowMeetsTheWeightRowColumnByColumn) {
  // (x0, x1, h) against (recurrent, w0, w1): x0 = 1/2 with a weight of 2 gives tanh(1) * 0.5 = 0.381.
  const auto cell_of = [](std::vector<uint8_t> x, uint8_t h, uint8_t recurrent, std::vector<uint8_t> weights) {
    return run_16bit(cell_16bit(std::move(x), h, recurrent, std::move(weights), 0)).cell;
  };
  EXPECT_NEAR(cell_of({192, 128}, 128, 132, {100, 100}), 780, 1);
  EXPECT_NEAR(cell_of({128, 192}, 128, 100, {132, 100}), 780, 1);
  EXPECT_NEAR(cell_of({128, 128}, 192, 100, {100, 132}), 780, 1);
  EXPECT_EQ(cell_of({128, 128}, 192, 132, {132, 100}), 0);
}

TEST(Quantized16bitLstm, OtherScalesFail) {
  std::vector<Operand> in = cell_16bit({128, 128}, 128, 100, {100, 100}, 0);
  in[13].info.scale = 1.0F / 1024;
  EXPECT_FALSE(run_outputs(OperationCode::kQuantized16bitLstm, in,
                           {output_of(kTensorQuant16Symm, 1.0F / 1024), output_of(kTensorQuant8Asymm, 1.0F / 128, 128)})
                   .status);
}

// --- QUANTIZED_LSTM: one input, two units, no signal: gates are set through layer normalization ------------------------------

struct CellCase {
  bool coupled = false;
  bool layer_norm = false;
  std::vector<int32_t> forget_bias = {0, 0};
  std::vector<int16_t> forget_norm = {0, 0};
  std::vector<int8_t> forget_weights = {0, 0};
  std::vector<int16_t> cell = {4096, -4096};  // F4: 2 and -2
  bool projection = false;
  std::vector<int32_t> projection_bias = {};
  float cell_clip = 0;
  float projection_clip = 0;
  int32_t hidden_zero_point = 0;
};

constexpr float kNormScale = 1.0F / 1024;

std::vector<Operand> inputs_of(const CellCase& c) {
  const auto weights = [](Shape shape, const std::vector<int8_t>& values) {
    return tensor(kTensorQuant8Symm, std::move(shape), values, 1.0F / 64);
  };
  const uint32_t outputs = c.projection ? 1 : 2;
  std::vector<Operand> in = {signed8({1, 1}, {64}, 1.0F / 64, 0)};  // 1.0
  for (int gate = 0; gate < 4; ++gate) {
    const bool given = gate != 0 || !c.coupled;
    in.push_back(given ? weights({2, 1}, gate == 1 ? c.forget_weights : std::vector<int8_t>{0, 0}) : omitted(kTensorQuant8Symm));
  }
  for (int gate = 0; gate < 4; ++gate) {
    const bool given = gate != 0 || !c.coupled;
    in.push_back(given ? weights({2, outputs}, std::vector<int8_t>(2 * outputs, 0)) : omitted(kTensorQuant8Symm));
  }
  for (int i = 0; i < 3; ++i) in.push_back(omitted(kTensorQuant16Symm));
  for (int gate = 0; gate < 4; ++gate) {
    const bool given = gate != 0 || !c.coupled;
    in.push_back(given ? ints({2}, gate == 1 ? c.forget_bias : std::vector<int32_t>{0, 0}) : omitted(kTensorInt32));
  }
  in.push_back(c.projection ? weights({1, 2}, {64, 64}) : omitted(kTensorQuant8Symm));
  in.push_back(c.projection_bias.empty() ? omitted(kTensorInt32) : ints({1}, c.projection_bias));
  in.push_back(signed8({1, outputs}, std::vector<int8_t>(outputs, 0), 1.0F / 128, 0));
  in.push_back(tensor(kTensorQuant16Symm, {1, 2}, c.cell, 1.0F / 2048));
  for (int gate = 0; gate < 4; ++gate) {
    const bool given = c.layer_norm && (gate != 0 || !c.coupled);
    in.push_back(given ? tensor(kTensorQuant16Symm, {2}, gate == 1 ? c.forget_norm : std::vector<int16_t>{0, 0}, kNormScale)
                       : omitted(kTensorQuant16Symm));
  }
  in.push_back(float_scalar(c.cell_clip));
  in.push_back(float_scalar(c.projection_clip));
  for (int gate = 0; gate < 4; ++gate) in.push_back(float_scalar(1.0F / 4096));
  in.push_back(int_scalar(c.hidden_zero_point));
  in.push_back(float_scalar(1.0F / 128));
  return in;
}

struct CellResult {
  std::vector<int8_t> state;
  std::vector<int16_t> cell;
  std::vector<int8_t> output;
};

CellResult run_cell(const CellCase& c) {
  const OperandInfo out = output_of(kTensorQuant8AsymmSigned, 1.0F / 128);
  const auto r = run_outputs(OperationCode::kQuantizedLstm, inputs_of(c), {out, output_of(kTensorQuant16Symm, 1.0F / 2048), out});
  EXPECT_TRUE(r.status) << (r.status ? "" : r.status.error().message);
  if (!r.status) return {};
  return {r.values<int8_t>(0), r.values<int16_t>(1), r.values<int8_t>(2)};
}

TEST(QuantizedLstm, WithoutSignalEveryGateIsHalfOpen) {
  for (const bool coupled : {false, true}) {
    const CellResult r = run_cell({.coupled = coupled});
    EXPECT_THAT(r.cell, ElementsAre(2048, -2048));
    EXPECT_THAT(r.output, ElementsAre(49, -49));  // tanh(1) / 2 = 0.3808 = 48.7 steps
    EXPECT_EQ(r.state, r.output);
  }
}

TEST(QuantizedLstm, TheHiddenZeroPointIsSubtracted) {
  EXPECT_THAT(run_cell({.hidden_zero_point = 3}).output, ElementsAre(46, -52));
  EXPECT_THAT(run_cell({.hidden_zero_point = 256 + 3}).output, ElementsAre(46, -52));  // only the low byte counts
}

TEST(QuantizedLstm, TheCellStateIsClipped) {
  EXPECT_THAT(run_cell({.cell_clip = 0.5F}).cell, ElementsAre(1024, -1024));
  EXPECT_THAT(run_cell({.cell_clip = -0.5F}).cell, ElementsAre(2048, -2048));
  EXPECT_THAT(run_cell({.cell_clip = std::nanf("")}).cell, ElementsAre(2048, -2048));
  EXPECT_THAT(run_cell({.cell_clip = std::numeric_limits<float>::infinity()}).cell, ElementsAre(2048, -2048));
}

TEST(QuantizedLstm, BiasesEnterThroughLayerNormalizationOnly) {
  const int32_t log_3 = std::lround(std::log(3.0) * (1 << 20));  // a bias counts in steps of 2^-10 * norm scale
  EXPECT_THAT(run_cell({.forget_bias = {log_3, -log_3}}).cell, ElementsAre(2048, -2048));
  const CellResult r = run_cell({.layer_norm = true, .forget_bias = {log_3, -log_3}});
  EXPECT_NEAR(r.cell[0], 3072, 2);   // 3/4 of 2
  EXPECT_NEAR(r.cell[1], -1024, 2);  // 1/4 of -2
}

TEST(QuantizedLstm, LayerNormalizationGivesMeanZeroAndVarianceOne) {
  // The forget gates are 1 and 0 before; normalized they are 1 and -1, times norm weights of 1.
  const CellResult r = run_cell({.layer_norm = true, .forget_norm = {1024, 1024}, .forget_weights = {64, 0}});
  EXPECT_NEAR(r.cell[0], 4096 * 0.7311, 4);
  EXPECT_NEAR(r.cell[1], -4096 * 0.2689, 4);
}

TEST(QuantizedLstm, TheProjectionAddsItsBiasAndIsClippedByTheWeightScale) {
  // Hidden 49 and 49, weights 1 and 1.
  CellCase c{.cell = {4096, 4096}, .projection = true};
  EXPECT_THAT(run_cell(c).output, ElementsAre(98));
  EXPECT_EQ(run_cell(c).state, run_cell(c).output);
  c.projection_bias = {-64 * 8};
  EXPECT_THAT(run_cell(c).output, ElementsAre(90));
  c.projection_clip = 1.0F;  // 64 steps of the weights
  EXPECT_THAT(run_cell(c).output, ElementsAre(64));
}

TEST(QuantizedLstm, ScalesThatTheArithmeticCannotHoldFail) {
  std::vector<Operand> in = inputs_of({});
  const OperandInfo out = output_of(kTensorQuant8AsymmSigned, 1.0F / 128);
  for (const float scale : {1.0F / 256, 1.0F / 65536, 0.0005F, 0.0F}) {
    in[19].info.scale = scale;
    EXPECT_FALSE(run_outputs(OperationCode::kQuantizedLstm, in, {out, output_of(kTensorQuant16Symm, scale), out}).status)
        << scale;
  }
}

}  // namespace
}  // namespace nnvk::cpu
