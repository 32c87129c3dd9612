// Plans described as NNAPI models: the description keeps all effects of rewrites.
#include "accelerators/plan_description.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "core/plan/rewrites.h"
#include "cpu_fallback/reference_device.h"
#include "tests/support/bindings.h"
#include "tests/support/plan_fixture.h"

namespace nnvk::accelerators {
namespace {

using test::code_of;
using test::PlanFixture;
using test::value_of;
using ::testing::ElementsAre;
using ::testing::HasSubstr;

Result<SharedRange> at_100(const PlanTensor& constant) { return SharedRange{RegionId{7}, 100, constant.value.size()}; }

ModelDescription describe(const Plan& plan) {
  ModelDescription model = value_of(describe_plan(plan, at_100));
  const Status status = check_model(model);
  EXPECT_TRUE(status) << status.error().text();
  return model;
}

TEST(PlanDescriptions, ViewsAreTheOperationsThatTheyWere) {
  PlanFixture f;
  const TensorId x = f.input({2, 3});
  const TensorId sum = f.temporary({2, 3});
  f.node(OperationCode::kAdd, {x, x, f.scalar(0)}, {sum});
  f.node(OperationCode::kReshape, {sum, f.constant<int32_t>({1}, OperandType::kTensorInt32, {6})}, {f.output({6})});
  const auto simple = simplify(f.plan(), cpu::reference_evaluator());
  ASSERT_TRUE(simple->nodes[1].is_view) << "or the test says nothing";
  const ModelDescription model = describe(*simple);
  ASSERT_EQ(model.operations.size(), 2U);
  EXPECT_EQ(model.operations[1].code, static_cast<int32_t>(OperationCode::kReshape));
  EXPECT_THAT(model.operands[model.outputs[0]].dimensions, ElementsAre(6));
}

TEST(PlanDescriptions, FoldedConstantsAreConstants) {
  PlanFixture f;
  const TensorId folded = f.temporary({2});
  f.node(OperationCode::kRelu, {f.constant<float>({2}, OperandType::kTensorFloat32, {-1, 2})}, {folded});
  f.node(OperationCode::kAdd, {f.input({2}), folded, f.scalar(0)}, {f.output({2})});
  const auto simple = simplify(f.plan(), cpu::reference_evaluator());
  ASSERT_EQ(simple->nodes.size(), 1U);
  const ModelDescription model = describe(*simple);
  const ModelOperand& operand = model.operands[model.operations[0].inputs[1]];
  EXPECT_EQ(operand.life, OperandLife::kConstant);
  float values[2];
  ASSERT_EQ(operand.bytes.size(), sizeof values);
  std::memcpy(values, operand.bytes.data(), sizeof values);
  EXPECT_THAT(values, ElementsAre(0, 2));
}

TEST(PlanDescriptions, LongConstantsAreInSharedMemory) {
  PlanFixture f;
  const TensorId weights = f.constant({64}, OperandType::kTensorFloat32, std::vector<float>(64, 1));
  f.node(OperationCode::kAdd, {f.input({64}), weights, f.scalar(0)}, {f.output({64})});
  const ModelDescription model = describe(*f.plan());
  const ModelOperand& operand = model.operands[model.operations[0].inputs[1]];
  EXPECT_TRUE(operand.bytes.empty());
  EXPECT_EQ(operand.range, (SharedRange{RegionId{7}, 100, 256}));
}

TEST(PlanDescriptions, KeepTypesQuantizationAndWhatIsNotKnown) {
  PlanFixture f;
  const TensorId x = f.input({kUnknownDimension, 4}, OperandType::kTensorQuant8Asymm, 0.5F, 3);
  const TensorId y = f.output(Shape::unknown_rank(), OperandType::kTensorQuant8Asymm, 0.5F, 3);
  f.node(OperationCode::kRelu, {x}, {y});
  f.raw().relaxed = true;
  const ModelDescription model = describe(*f.plan());
  const ModelOperand& in = model.operands[model.inputs[0]];
  EXPECT_THAT(in.dimensions, ElementsAre(0, 4));
  EXPECT_EQ(in.type, static_cast<int32_t>(OperandType::kTensorQuant8Asymm));
  EXPECT_EQ(in.scale, 0.5F);
  EXPECT_EQ(in.zero_point, 3);
  EXPECT_TRUE(model.operands[model.outputs[0]].dimensions.empty());
  EXPECT_TRUE(model.relaxed);
}

TEST(PlanDescriptions, APlanWithoutInputsGetsOneThatNothingReads) {
  PlanFixture f;
  f.node(OperationCode::kRelu, {f.constant<float>({2}, OperandType::kTensorFloat32, {-1, 2})}, {f.output({2})});
  const ModelDescription model = describe(*f.plan());
  EXPECT_EQ(model.inputs.size(), described_inputs(*f.plan()));
  EXPECT_EQ(model.inputs.size(), 1U);
}

TEST(PlanDescriptions, WhatWasFusedOrIsControlFlowIsNamed) {
  PlanFixture f;
  f.node(OperationCode::kAdd, {f.input({2}), f.input({2}), f.scalar(0)}, {f.output({2})});
  f.raw().nodes[0].fused_activation = FusedActivation::kRelu;
  auto described = describe_plan(*f.plan(), at_100);
  ASSERT_FALSE(described);
  EXPECT_EQ(described.error().code, Code::kOpFailed);
  EXPECT_THAT(described.error().text(), HasSubstr("ADD (operation 0)"));
  f.raw().nodes[0].fused_activation = FusedActivation::kNone;
  f.raw().nodes[0].code = OperationCode::kWhile;
  EXPECT_EQ(code_of(describe_plan(*f.plan(), at_100)), Code::kOpFailed);
}

}  // namespace
}  // namespace nnvk::accelerators
