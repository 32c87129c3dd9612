// The devices, types and operations of the extension "nnvk.test" as clients reach them.
#pragma once

#include <string>
#include <vector>

#include "tests/api/api_objects.h"
#include "tests/support/extension_device/test_extension.h"

namespace nnvk::test {

inline const ANeuralNetworksDevice* device_named(const std::string& name) {
  for (const ANeuralNetworksDevice* device : devices()) {
    if (name_of(device) == name) return device;
  }
  ADD_FAILURE() << "there is no device " << name;
  return nullptr;
}
inline const ANeuralNetworksDevice* extension_device() { return device_named(kExtensionDeviceName); }
inline const ANeuralNetworksDevice* scaling_device() { return device_named(kScalingDeviceName); }

inline int32_t fixed16_type() { return extension_type(kTestExtension, kFixed16); }
inline int32_t factor_type() { return extension_type(kTestExtension, kFactor); }

inline int32_t extension_operation(uint16_t code) { return extension_operation(kTestExtension, code); }

// A FIXED16 operand with so many fraction bits.
inline uint32_t fixed16_operand(ModelBuilder& model, const std::vector<uint32_t>& dims, uint8_t fraction_bits) {
  const uint32_t index = model.operand(fixed16_type(), dims);
  EXPECT_EQ(ANeuralNetworksModel_setOperandExtensionData(model.get(), static_cast<int32_t>(index), &fraction_bits, 1), 0);
  return index;
}

inline uint32_t factor_operand(ModelBuilder& model, double value) { return model.constant<double>(factor_type(), {}, {value}); }

// y = TO_FLOAT(x), where x has two elements with `fraction_bits` fraction bits.
inline ModelBuilder make_to_float(uint8_t fraction_bits) {
  ModelBuilder model;
  const uint32_t x = fixed16_operand(model, {2}, fraction_bits);
  const uint32_t y = model.operand(kFloat, {2});
  EXPECT_EQ(model.operation(extension_operation(kToFloat), {x}, {y}), kOk);
  model.finish({x}, {y});
  return model;
}

// y = TO_FLOAT(SCALE_BY(TO_FIXED(a + b), 1.5)) with 4 fraction bits: two extension types, all three operations and ADD.
inline ModelBuilder make_scaled_sum(const std::vector<uint32_t>& dims) {
  ModelBuilder model;
  const uint32_t a = model.operand(kFloat, dims);
  const uint32_t b = model.operand(kFloat, dims);
  const uint32_t none = model.constant(ANEURALNETWORKS_FUSED_NONE);
  const uint32_t sum = model.operand(kFloat, dims);
  const uint32_t fixed = fixed16_operand(model, dims, 4);
  const uint32_t factor = factor_operand(model, 1.5);
  const uint32_t scaled = fixed16_operand(model, dims, 4);
  const uint32_t y = model.operand(kFloat, dims);
  EXPECT_EQ(model.operation(extension_operation(kToFloat), {scaled}, {y}), 0);  // operations in no particular order
  EXPECT_EQ(model.operation(ANEURALNETWORKS_ADD, {a, b, none}, {sum}), 0);
  EXPECT_EQ(model.operation(extension_operation(kScaleBy), {fixed, factor}, {scaled}), 0);
  EXPECT_EQ(model.operation(extension_operation(kToFixed), {sum}, {fixed}), 0);
  model.finish({a, b}, {y});
  return model;
}

// Inputs and the output of make_scaled_sum({4}).
struct ScaledSum {
  std::array<float, 4> a{1, 2, -3, 0.5F};
  std::array<float, 4> b{0.25F, 2, 1, 0.0625F};
  std::array<float, 4> y{};

  static constexpr std::array<float, 4> kExpected{1.875F, 6, -3, 0.875F};  // 0.5625 * 1.5 = 13.5 sixteenths, to even

  ExecutionPointer bind(const CompilationPointer& compilation) { return make_execution(compilation, {a, b}, {y}); }
};

}  // namespace nnvk::test
