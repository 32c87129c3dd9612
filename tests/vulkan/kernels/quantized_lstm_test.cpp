// QUANTIZED_LSTM and QUANTIZED_16BIT_LSTM on Vulkan against the CPU reference: the same integers.
#include <gtest/gtest.h>

#include <array>
#include <cmath>
#include <limits>

#include "tests/vulkan/kernels/kernel_rig.h"

namespace nnvk::vulkan::rig {
namespace {

struct QuantizedLstmCase {
  uint32_t batches = 1;
  uint32_t input_size = 1;
  uint32_t units = 1;
  uint32_t projected = 0;  // output size of a projection; 0: none
  bool projection_bias = true;
  bool coupled = false;
  bool peephole = false;
  bool layer_norm = false;
  bool constant_weights = true;
  float cell_scale = 1.0F / 2048;
  float cell_clip = 0;
  float projection_clip = 0;
  int32_t hidden_zero_point = 3;
  std::array<float, 4> gate_scales = {1.0F / 4096, 1.0F / 3000, 1.0F / 5000, 1.0F / 4096};
  float hidden_scale = 0.007F;
  float norm_scale = 3e-5F;
};

class QuantizedLstmBuilder {
 public:
  explicit QuantizedLstmBuilder(const QuantizedLstmCase& c) : c_(c) {}

  OneNode build() {
    const uint32_t outputs = c_.projected != 0 ? c_.projected : c_.units;
    const OperandInfo state = tensor(kInt8, {c_.batches, outputs}, 0.0078F, -4);
    const OperandInfo cell = tensor(kInt16, {c_.batches, c_.units}, c_.cell_scale);
    node_.random_input(tensor(kInt8, {c_.batches, c_.input_size}, 0.0078F, 7), seed_++);
    for (int gate = 0; gate < 4; ++gate) add(gate != 0 || !c_.coupled, kSymm8, {c_.units, c_.input_size}, 0.004F);
    for (int gate = 0; gate < 4; ++gate) add(gate != 0 || !c_.coupled, kSymm8, {c_.units, outputs}, 0.005F);
    for (int i = 0; i < 3; ++i) add(c_.peephole && (i != 0 || !c_.coupled), kInt16, {c_.units}, 1.0F / 32768);
    for (int gate = 0; gate < 4; ++gate) add(gate != 0 || !c_.coupled, kInt32, {c_.units}, 0.0F, 3e6F);
    add(c_.projected != 0, kSymm8, {outputs, c_.units}, 0.006F);
    add(c_.projected != 0 && c_.projection_bias, kInt32, {outputs}, 0.0F, 3000.0F);
    node_.random_input(state, seed_++);
    node_.random_input(cell, seed_++);
    for (int gate = 0; gate < 4; ++gate) add(c_.layer_norm && (gate != 0 || !c_.coupled), kInt16, {c_.units}, c_.norm_scale);
    node_.scalar(c_.cell_clip).scalar(c_.projection_clip);
    for (const float scale : c_.gate_scales) node_.scalar(scale);
    node_.scalar(c_.hidden_zero_point).scalar(c_.hidden_scale);
    return node_.output(state).output(cell).output(state);
  }

 private:
  static constexpr OperandType kInt8 = OperandType::kTensorQuant8AsymmSigned;
  static constexpr OperandType kSymm8 = OperandType::kTensorQuant8Symm;
  static constexpr OperandType kInt16 = OperandType::kTensorQuant16Symm;
  static constexpr OperandType kInt32 = OperandType::kTensorInt32;

  void add(bool given, OperandType type, const Shape& shape, float scale, float range = 4.0F) {
    const OperandInfo info = tensor(type, shape, scale);
    if (!given) {
      node_.omitted(type);
    } else if (c_.constant_weights) {
      node_.random_constant(info, seed_++, range);
    } else {
      node_.random_input(info, seed_++, range);
    }
  }

  OneNode node_{OperationCode::kQuantizedLstm};
  QuantizedLstmCase c_;
  uint32_t seed_ = 81;
};

void expect_agrees(const QuantizedLstmCase& c) { expect_same_as_reference(QuantizedLstmBuilder(c).build()); }

TEST(QuantizedLstmKernel, EveryCombinationOfOptionsAgrees) {
  NNVK_REQUIRE_VULKAN();
  for (unsigned options = 0; options < 16; ++options) {
    QuantizedLstmCase c{.batches = 2, .input_size = 5, .units = 7};
    c.coupled = (options & 1U) != 0;
    c.peephole = (options & 2U) != 0;
    c.layer_norm = (options & 4U) != 0;
    c.projected = (options & 8U) != 0 ? 3 : 0;
    expect_agrees(c);
  }
}

TEST(QuantizedLstmKernel, AllKindsOfSizesAgree) {
  NNVK_REQUIRE_VULKAN();
  for (const uint32_t units : {1U, 4U, 64U, 65U, 130U}) {
    expect_agrees({.batches = 3, .input_size = 8, .units = units, .layer_norm = true});
    expect_agrees({.batches = 1, .input_size = 300, .units = units, .projected = 6, .peephole = true, .layer_norm = true});
  }
  expect_agrees({.batches = 2, .input_size = 6, .units = 9, .projected = 4, .projection_bias = false, .constant_weights = false});
}

TEST(QuantizedLstmKernel, EveryCellScaleAgrees) {
  NNVK_REQUIRE_VULKAN();
  for (int exponent = -15; exponent <= -9; ++exponent) {
    expect_agrees({.batches = 2, .input_size = 4, .units = 50, .peephole = true, .cell_scale = std::ldexp(1.0F, exponent)});
  }
}

TEST(QuantizedLstmKernel, ClipsAgreeForEveryValue) {
  NNVK_REQUIRE_VULKAN();
  const float inf = std::numeric_limits<float>::infinity();
  for (const float clip : {0.1F, 1.0F, 1e-9F, 1e30F, -1.0F, inf, std::nanf("")}) {
    expect_agrees({.batches = 2, .input_size = 4, .units = 9, .projected = 5, .cell_clip = clip, .projection_clip = clip});
  }
}

TEST(QuantizedLstmKernel, ScalesThatMakeNoSenseGiveTheSameIntegers) {
  NNVK_REQUIRE_VULKAN();
  QuantizedLstmCase c{.batches = 2, .input_size = 4, .units = 10, .projected = 5, .peephole = true, .layer_norm = true};
  for (const float scale : {0.0F, -1.0F, 1e-30F, 1e30F, std::nanf(""), std::numeric_limits<float>::infinity()}) {
    c.gate_scales = {scale, scale, scale, scale};
    c.hidden_scale = scale;
    expect_agrees(c);
    c.layer_norm = !c.layer_norm;
  }
  c.layer_norm = true;
  for (const float scale : {1e-30F, 1e30F, 1.0F}) {
    c.norm_scale = scale;
    expect_agrees(c);
  }
  c.hidden_zero_point = INT32_MIN + 128;
  expect_agrees(c);
}

OneNode quantized_16bit_lstm(uint32_t batches, uint32_t input_size, uint32_t units, float weight_scale, bool constant) {
  constexpr OperandType kUint8 = OperandType::kTensorQuant8Asymm;
  const OperandInfo state = tensor(kUint8, {batches, units}, 1.0F / 128, 128);
  const OperandInfo cell = tensor(OperandType::kTensorQuant16Symm, {batches, units}, 1.0F / 2048);
  OneNode node(OperationCode::kQuantized16bitLstm);
  uint32_t seed = 91;
  const auto add = [&](const OperandInfo& info, float range) {
    if (constant) {
      node.random_constant(info, seed++, range);
    } else {
      node.random_input(info, seed++, range);
    }
  };
  node.random_input(tensor(kUint8, {batches, input_size}, 1.0F / 128, 128), seed++);
  for (int gate = 0; gate < 4; ++gate) add(tensor(kUint8, {units, input_size}, weight_scale, 117), 4.0F);
  for (int gate = 0; gate < 4; ++gate) add(tensor(kUint8, {units, units}, weight_scale, 117), 4.0F);
  for (int gate = 0; gate < 4; ++gate) add(tensor(OperandType::kTensorInt32, {units}, weight_scale / 128), 20000.0F);
  node.random_input(cell, seed++);
  node.random_input(state, seed++);
  return node.output(cell).output(state);
}

TEST(Quantized16bitLstmKernel, AllKindsOfSizesAndScalesAgree) {
  NNVK_REQUIRE_VULKAN();
  for (const bool constant : {true, false}) {
    expect_same_as_reference(quantized_16bit_lstm(1, 1, 1, 0.01F, constant));
    expect_same_as_reference(quantized_16bit_lstm(3, 5, 7, 0.01F, constant));
    expect_same_as_reference(quantized_16bit_lstm(2, 8, 12, 0.01F, constant));
    expect_same_as_reference(quantized_16bit_lstm(2, 64, 100, 0.002F, constant));
  }
  for (const float scale : {1e-20F, 1.0F, 1e6F, 1e30F}) expect_same_as_reference(quantized_16bit_lstm(2, 4, 20, scale, true));
}

// Longer rows than an invocation goes through in one dispatch (vulkan/kernels/bounded_work.h).
TEST(QuantizedLstmKernel, LongRowsAgree) {
  NNVK_REQUIRE_VULKAN();
  expect_agrees({.batches = 2, .input_size = 70001, .units = 3, .layer_norm = true, .gate_scales = {0.01F, 0.01F, 0.01F, 0.01F}});
  expect_agrees({.batches = 1, .input_size = 3, .units = 70001, .projected = 2, .peephole = true});
}

TEST(Quantized16bitLstmKernel, LongRowsAgree) {
  NNVK_REQUIRE_VULKAN();
  expect_same_as_reference(quantized_16bit_lstm(2, 70001, 3, 1e-4F, true));
  expect_same_as_reference(quantized_16bit_lstm(1, 280000, 4, 1e-4F, true));
}

}  // namespace
}  // namespace nnvk::vulkan::rig
