// Tests of the step from model to plan: which scale and zero point tensors have.
#include "core/plan/plan_builder.h"
#include "core/operations/operation_enumerators.h"

#include <gtest/gtest.h>

#include "core/model/extension_registry.h"
#include "core/model/model.h"

namespace nnvk {
namespace {

// x -> `code` -> middle -> RELU -> y. x is TENSOR_QUANT8_ASYMM with scale 0.5 and zero point 100; the parameters declare the
// others.
class QuantizedChain {
 public:
  QuantizedChain(OperationCode code, float scale, int32_t zero_point) : model_(extensions_) {
    const uint32_t dims[] = {2, 3};
    const std::vector<std::pair<float, int32_t>> quantizations = {{0.5F, 100}, {scale, zero_point}, {scale, zero_point}};
    for (const auto& [s, z] : quantizations) EXPECT_TRUE(model_.add_operand({kQuant8Asymm, dims, 2, s, z}));
    const uint32_t x = 0;
    const uint32_t middle = 1;
    const uint32_t y = 2;
    EXPECT_TRUE(model_.add_operation(static_cast<int32_t>(code), {&x, 1}, {&middle, 1}));
    EXPECT_TRUE(model_.add_operation(static_cast<int32_t>(OperationCode::kRelu), {&middle, 1}, {&y, 1}));
    EXPECT_TRUE(model_.identify_inputs_and_outputs({&x, 1}, {&y, 1}));
    EXPECT_TRUE(model_.finish());
  }
  // Scale and zero point of an operand in the plan.
  std::pair<float, int32_t> in_plan(TensorId id) const {
    const auto plan = build_plan(model_);
    EXPECT_TRUE(plan);
    const OperandInfo& info = (*plan)->tensors[id].info;
    return {info.scale, info.zero_point};
  }

 private:
  static constexpr int32_t kQuant8Asymm = 5;
  ExtensionRegistry extensions_;
  Model model_;
};

TEST(PlanBuilder, AnIntermediateResultGetsTheQuantizationOfTheInputWhereTheOperationKeepsIt) {
  EXPECT_EQ(QuantizedChain(OperationCode::kRelu6, 0.25F, 7).in_plan(1), std::pair(0.5F, 100));
}

TEST(PlanBuilder, AnIntermediateResultGetsTheFixedQuantizationOfTheOperation) {
  EXPECT_EQ(QuantizedChain(OperationCode::kLogistic, 0.25F, 7).in_plan(1), std::pair(1.0F / 256, 0));
  EXPECT_EQ(QuantizedChain(OperationCode::kTanh, 0.25F, 7).in_plan(1), std::pair(1.0F / 128, 128));
}

TEST(PlanBuilder, AModelOutputKeepsWhatIsDeclared) {
  EXPECT_EQ(QuantizedChain(OperationCode::kRelu6, 0.25F, 7).in_plan(2), std::pair(0.25F, 7));
}

TEST(PlanBuilder, OperationsThatRequantizeKeepWhatIsDeclared) {
  EXPECT_EQ(QuantizedChain(OperationCode::kHardSwish, 0.25F, 7).in_plan(1), std::pair(0.25F, 7));
}

}  // namespace
}  // namespace nnvk
