// QUANTIZED_LSTM and QUANTIZED_16BIT_LSTM of random sizes and scales, to the bit, with every instruction set; and the vector form
// of the functions they are made of, over all numbers.
#include "core/base/fixed_point_16.h"
#include "core/operations/rules/lstm_cell.h"
#include "cpu_fallback/optimized/rows/quantized_cells.h"
#include "tests/cpu_fallback/optimized/random_nodes.h"

namespace nnvk::cpu {
namespace {

using namespace test;

class RandomQuantizedCells : public RandomNodes {
 protected:
  TensorId bytes(PlanFixture& m, const Shape& shape, OperandType type, float scale, int32_t zero_point = 0) {
    return m.constant(shape, type, random_bytes(type, shape.element_count()), scale, zero_point);
  }
  TensorId bytes_or_none(PlanFixture& m, bool is_there, const Shape& shape, OperandType type, float scale) {
    return is_there ? bytes(m, shape, type, scale) : m.omitted(type);
  }
  TensorId ints_or_none(PlanFixture& m, bool is_there, uint32_t count, uint32_t most) {
    if (!is_there) return m.omitted(kTensorInt32);
    std::vector<int32_t> values(count);
    for (int32_t& value : values) value = pick_int(0, 2 * most) - static_cast<int32_t>(most);
    return m.constant({count}, kTensorInt32, values);
  }
  TensorId real(PlanFixture& m, float value) { return m.constant<float>({}, kFloat32, {value}); }
  TensorId state(PlanFixture& m, const Shape& shape, OperandType type, float scale, int32_t zero_point) {
    inputs_.push_back(random_bytes(type, shape.element_count()));
    return m.input(shape, type, scale, zero_point);
  }
  float scale() { return std::exp2(-static_cast<float>(pick(4, 14))) * (1.0F + 0.01F * static_cast<float>(pick(0, 99))); }
  // Sizes and clips for cells whose values, at most depths, neither vanish nor always saturate.
  uint32_t size(uint32_t most) { return pick(0, 2) == 0 ? pick(1, most) : pick(1, 20); }
  float clip() { return pick(0, 1) == 0 ? 0.0F : 0.2F * static_cast<float>(pick(1, 10)); }

  void add_quantized_lstm(PlanFixture& m, uint32_t batch, uint32_t input_size, uint32_t units) {
    const bool coupled = pick(0, 3) == 0;
    const bool looks = pick(0, 1) == 0;
    const bool is_normalized = pick(0, 1) == 0;
    const bool projects = pick(0, 1) == 0;
    const uint32_t outputs = projects ? size(90) : units;
    const auto has = [&](int gate) { return gate != 0 || !coupled; };
    const float cell_scale = std::exp2(-static_cast<float>(pick(9, 15)));
    const int32_t output_zero = pick_int(0, 255) - 128;
    std::vector<TensorId> ids = {state(m, {batch, input_size}, kTensorQuant8AsymmSigned, scale(), pick_int(0, 255) - 128)};
    for (int g = 0; g < 4; ++g) ids.push_back(bytes_or_none(m, has(g), {units, input_size}, kTensorQuant8Symm, scale()));
    for (int g = 0; g < 4; ++g) ids.push_back(bytes_or_none(m, has(g), {units, outputs}, kTensorQuant8Symm, scale()));
    for (int g = 0; g < 3; ++g) ids.push_back(bytes_or_none(m, looks && has(g), {units}, kTensorQuant16Symm, scale()));
    for (int g = 0; g < 4; ++g) ids.push_back(ints_or_none(m, has(g), units, 3000000));
    ids.push_back(bytes_or_none(m, projects, {outputs, units}, kTensorQuant8Symm, scale()));
    ids.push_back(ints_or_none(m, projects && pick(0, 1) == 0, outputs, 3000));
    const float output_scale = scale();
    ids.push_back(state(m, {batch, outputs}, kTensorQuant8AsymmSigned, output_scale, output_zero));
    ids.push_back(state(m, {batch, units}, kTensorQuant16Symm, cell_scale, 0));
    for (int g = 0; g < 4; ++g) {
      ids.push_back(bytes_or_none(m, is_normalized && has(g), {units}, kTensorQuant16Symm, 3e-5F));
    }
    ids.push_back(real(m, clip()));
    ids.push_back(real(m, projects ? clip() : 0.0F));
    for (int g = 0; g < 4; ++g) ids.push_back(real(m, scale() / 16));
    ids.push_back(m.scalar(pick_int(0, 255) - 128));
    ids.push_back(real(m, scale()));
    const TensorId next = m.output({batch, outputs}, kTensorQuant8AsymmSigned, output_scale, output_zero);
    const TensorId cell = m.output({batch, units}, kTensorQuant16Symm, cell_scale, 0);
    m.node(OperationCode::kQuantizedLstm, ids,
           {next, cell, m.output({batch, outputs}, kTensorQuant8AsymmSigned, output_scale, output_zero)});
  }

  void add_16bit_lstm(PlanFixture& m, uint32_t batch, uint32_t input_size, uint32_t units) {
    const float weight_scale = scale();
    const int32_t weight_zero = pick_int(0, 255);
    std::vector<TensorId> ids = {state(m, {batch, input_size}, kTensorQuant8Asymm, 1.0F / 128, 128)};
    for (const uint32_t width : {input_size, units}) {
      for (int g = 0; g < 4; ++g) ids.push_back(bytes(m, {units, width}, kTensorQuant8Asymm, weight_scale, weight_zero));
    }
    for (int g = 0; g < 4; ++g) {
      ids.push_back(ints_or_none(m, true, units, 20000));
      m.raw().tensors[ids.back()].info.scale = weight_scale / 128;
    }
    ids.push_back(state(m, {batch, units}, kTensorQuant16Symm, 1.0F / 2048, 0));
    ids.push_back(state(m, {batch, units}, kTensorQuant8Asymm, 1.0F / 128, 128));
    const TensorId cell = m.output({batch, units}, kTensorQuant16Symm, 1.0F / 2048, 0);
    m.node(OperationCode::kQuantized16bitLstm, ids, {cell, m.output({batch, units}, kTensorQuant8Asymm, 1.0F / 128, 128)});
  }
};

constexpr LayerTypes kBytes[] = {{"Bytes", kTensorQuant8Asymm, kTensorQuant8Asymm}};
INSTANTIATE_TEST_SUITE_P(Types, RandomQuantizedCells, ::testing::ValuesIn(kBytes),
                         [](const auto& info) { return info.param.name; });

TEST_P(RandomQuantizedCells, QuantizedLstmsGiveTheReferencesIntegers) {
  for (int round = 0; round < 100; ++round) {
    PlanFixture m;
    add_quantized_lstm(m, pick(1, 6), size(300), size(130));
    ASSERT_NO_FATAL_FAILURE(expect_equal_everywhere(m, 0)) << "round " << round;
  }
}

TEST_P(RandomQuantizedCells, Quantized16bitLstmsGiveTheReferencesIntegers) {
  for (int round = 0; round < 100; ++round) {
    PlanFixture m;
    add_16bit_lstm(m, pick(1, 6), size(300), size(130));
    ASSERT_NO_FATAL_FAILURE(expect_equal_everywhere(m, 0)) << "round " << round;
  }
}

TEST_P(RandomQuantizedCells, LargeCellsAreSplitOverThreads) {
  PlanFixture cell;
  add_quantized_lstm(cell, 3, 300, 700);
  ASSERT_NO_FATAL_FAILURE(expect_equal_everywhere(cell, 0));
  PlanFixture cell_16bit;
  add_16bit_lstm(cell_16bit, 3, 300, 700);
  ASSERT_NO_FATAL_FAILURE(expect_equal_everywhere(cell_16bit, 0));
}

// --- Every number that there is ---------------------------------------------------------------------------------------------

constexpr size_t kNumbers = 65536;
constexpr FixedPointMultiplier kOne{1 << 30, 1};

std::vector<int32_t> all_numbers(int32_t factor) {
  std::vector<int32_t> numbers(kNumbers);
  for (size_t i = 0; i < kNumbers; ++i) numbers[i] = (static_cast<int32_t>(i) - 32768) * factor;
  return numbers;
}

TEST(QuantizedCells, Cells16bitOfEveryGate) {
  const std::vector<int32_t> up = all_numbers(1);
  const std::vector<int32_t> down = all_numbers(-1);
  std::vector<int16_t> before(kNumbers);
  for (size_t i = 0; i < kNumbers; ++i) before[i] = static_cast<int16_t>(i * 40503);
  with_every_instruction_set([&](const std::string& name) {
    std::vector<int16_t> after(kNumbers);
    std::vector<uint8_t> out(kNumbers);
    step_16bit_cell(
        {kNumbers, {up.data(), down.data(), up.data(), down.data()}, kOne, 128, before.data(), after.data(), out.data()});
    for (size_t i = 0; i < kNumbers; ++i) {
      const int32_t gate = clamp_16(down[i]);
      const int32_t added = rounding_shift_right(multiply_16(logistic_16(up[i], 3), tanh_16(up[i], 3)), 4);
      const int32_t cell = clamp_16(added + multiply_16(logistic_16(gate, 3), before[i]));
      const int32_t hidden = multiply_16(logistic_16(gate, 3), tanh_16(shift_left_16(cell, 1), 3));
      ASSERT_EQ(after[i], cell) << name << ", " << up[i];
      ASSERT_EQ(out[i], 128 + clamp_int(rounding_shift_right(hidden, 8), -128, 127)) << name << ", " << up[i];
    }
  });
}

TEST(QuantizedCells, CellsOfEveryGateAndScale) {
  const std::vector<int32_t> up = all_numbers(1);
  std::vector<int16_t> before(kNumbers);
  for (size_t i = 0; i < kNumbers; ++i) before[i] = static_cast<int16_t>(i * 40503);
  with_every_instruction_set([&](const std::string& name) {
    for (int bits = 0; bits <= 6; ++bits) {
      std::vector<int16_t> after(kNumbers);
      std::vector<int8_t> hidden(kNumbers);
      step_quantized_cell({kNumbers, nullptr, up.data(), up.data(), bits, 30000, before.data(), after.data()});
      const FixedPointMultiplier scale{1 << 30, -20 - bits};
      store_quantized_hidden({kNumbers, up.data(), before.data(), bits, scale, -3, hidden.data()});
      for (size_t i = 0; i < kNumbers; ++i) {
        const int32_t forget = logistic_16(up[i], 3);
        const int32_t added = rounding_shift_right((kOne16 - forget) * tanh_16(up[i], 3), 15 + bits);
        const int32_t cell = clamp_16(rounding_shift_right(forget * before[i], 15) + added);
        ASSERT_EQ(after[i], clamp_int(cell, -30000, 30000)) << name << ", " << up[i];
        const int32_t product = scale_fixed_point(forget * tanh_16(before[i], bits), scale);
        ASSERT_EQ(hidden[i], clamp_int(product + 3, -128, 127)) << name << ", " << bits << " bits, " << before[i];
      }
    }
  });
}

}  // namespace
}  // namespace nnvk::cpu
