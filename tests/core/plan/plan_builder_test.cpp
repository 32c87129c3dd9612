// Tests of the plan builder: quantization that operations impose on intermediate results.
#include "core/plan/plan_builder.h"

#include <gtest/gtest.h>

#include <array>

#include "core/model/extension_registry.h"
#include "core/model/model.h"

namespace nnvk {
namespace {

constexpr int32_t kQuant8 = 5;  // ANEURALNETWORKS_TENSOR_QUANT8_ASYMM
constexpr int32_t kQuant8Signed = 14;
constexpr int32_t kHardSwish = 99;

struct Parameters {
  float scale;
  int32_t zero_point;
};

// input (0.05, 7) -> first operation -> intermediate (declared as 0.3, 9) -> HARD_SWISH -> output (0.04, 1).
Parameters intermediate_after(int32_t first, int32_t type) {
  ExtensionRegistry extensions;
  Model model(extensions);
  const uint32_t dims[] = {4};
  for (const auto [scale, zero_point] : {Parameters{0.05F, 7}, Parameters{0.3F, 9}, Parameters{0.04F, 1}}) {
    EXPECT_TRUE(model.add_operand({type, dims, 1, scale, zero_point}));
  }
  const std::array<uint32_t, 3> ids{0, 1, 2};
  const auto one = [&](size_t i) { return std::span<const uint32_t>(&ids[i], 1); };
  EXPECT_TRUE(model.add_operation(first, one(0), one(1)));
  EXPECT_TRUE(model.add_operation(kHardSwish, one(1), one(2)));
  EXPECT_TRUE(model.identify_inputs_and_outputs(one(0), one(2)));
  EXPECT_TRUE(model.finish());
  const auto plan = build_plan(model);
  EXPECT_TRUE(plan);
  const OperandInfo& info = (*plan)->tensors[1].info;
  EXPECT_EQ((*plan)->tensors[2].info.scale, 0.04F) << "model outputs stay as declared";
  return {info.scale, info.zero_point};
}

TEST(PlanBuilder, AnIntermediateResultOfAReluHasTheQuantizationOfItsInput) {
  constexpr int32_t kRelu6 = 21;
  const Parameters got = intermediate_after(kRelu6, kQuant8);
  EXPECT_EQ(got.scale, 0.05F);
  EXPECT_EQ(got.zero_point, 7);
}

TEST(PlanBuilder, AnIntermediateResultOfAFunctionWithOneQuantizationHasThatOne) {
  constexpr int32_t kLogistic = 14;
  constexpr int32_t kTanh = 28;
  EXPECT_EQ(intermediate_after(kLogistic, kQuant8).scale, 1.0F / 256);
  EXPECT_EQ(intermediate_after(kLogistic, kQuant8).zero_point, 0);
  EXPECT_EQ(intermediate_after(kLogistic, kQuant8Signed).zero_point, -128);
  EXPECT_EQ(intermediate_after(kTanh, kQuant8).zero_point, 128);
  EXPECT_EQ(intermediate_after(kTanh, kQuant8Signed).scale, 1.0F / 128);
}

TEST(PlanBuilder, OtherOperationsKeepTheDeclaredQuantization) {
  const Parameters got = intermediate_after(kHardSwish, kQuant8);
  EXPECT_EQ(got.scale, 0.3F);
  EXPECT_EQ(got.zero_point, 9);
}

}  // namespace
}  // namespace nnvk
