// Tests of the step from model to plan: which scale and zero point tensors have.
#include "core/plan/plan_builder.h"
#include "core/operations/operation_enumerators.h"

#include <gtest/gtest.h>

#include <cstring>
#include <vector>

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

// y = CONV_2D(x, filter), where the program has the filter as OIHW. A second reader of the filter is added on demand.
class ModelWithFilter {
 public:
  explicit ModelWithFilter(bool has_second_reader) : model_(extensions_), filter_(64) {
    for (size_t i = 0; i < filter_.size(); ++i) filter_[i] = static_cast<float>(i);
    const uint32_t x = add(3, {1, 4, 4, 4});
    filter_operand_ = add(3, {4, 2, 2, 4});
    const uint32_t bias = add(3, {4});
    const uint32_t y = add(3, {1, 4, 4, 4});
    std::vector<uint32_t> inputs{x, filter_operand_, bias};
    const float zeros[4] = {};
    EXPECT_TRUE(model_.set_operand_value(bias, zeros, sizeof zeros));
    for (const int32_t value : {1, 1, 1, 0}) {  // SAME, strides of 1, no activation
      inputs.push_back(add(1, {}));
      EXPECT_TRUE(model_.set_operand_value(inputs.back(), &value, sizeof value));
    }
    const uint32_t order[] = {0, 2, 3, 1};
    EXPECT_TRUE(model_.set_transposed_value(filter_operand_, std::as_bytes(std::span(filter_)), order));
    std::vector<uint32_t> outputs{y};
    EXPECT_TRUE(model_.add_operation(static_cast<int32_t>(OperationCode::kConv2d), inputs, {&y, 1}));
    if (has_second_reader) {
      outputs.push_back(add(3, {4, 2, 2, 4}));
      EXPECT_TRUE(model_.add_operation(static_cast<int32_t>(OperationCode::kRelu), {&filter_operand_, 1}, {&outputs.back(), 1}));
    }
    EXPECT_TRUE(model_.identify_inputs_and_outputs({&x, 1}, outputs));
    const Status finished = model_.finish();
    EXPECT_TRUE(finished) << finished.error().text();
  }
  PlanTensor filter_of(bool filters_may_wait) const {
    const auto plan = build_plan(model_, filters_may_wait);
    EXPECT_TRUE(plan);
    return (*plan)->tensors[filter_operand_];
  }
  const std::vector<float>& filter() const { return filter_; }
  const Model& model() const { return model_; }

 private:
  uint32_t add(int32_t type, std::vector<uint32_t> dims) {
    EXPECT_TRUE(model_.add_operand({type, dims.data(), static_cast<uint32_t>(dims.size()), 0, 0}));
    return static_cast<uint32_t>(model_.operands().size() - 1);
  }
  ExtensionRegistry extensions_;
  Model model_;
  std::vector<float> filter_;
  uint32_t filter_operand_ = 0;
};

TEST(PlanBuilder, AFilterInAnotherOrderWaitsOnlyIfItMay) {
  const ModelWithFilter model(false);
  const PlanTensor waits = model.filter_of(true);
  ASSERT_NE(waits.transposed, nullptr);
  EXPECT_TRUE(waits.value.empty());
  EXPECT_EQ(waits.transposed->source.data(), reinterpret_cast<const std::byte*>(model.filter().data()));
  const PlanTensor ordered = model.filter_of(false);
  EXPECT_EQ(ordered.transposed, nullptr);
  std::vector<float> values(64);
  ASSERT_EQ(ordered.value.size(), 64 * sizeof(float));
  std::memcpy(values.data(), ordered.value.data(), ordered.value.size());
  EXPECT_EQ(values[0], 0);
  EXPECT_EQ(values[1], 4) << "the next input channel of the same tap";
  EXPECT_EQ(values[4], 1) << "the next tap";
}

TEST(PlanBuilder, AFilterThatSomethingElseReadsDoesNotWait) {
  EXPECT_EQ(ModelWithFilter(true).filter_of(true).transposed, nullptr);
}

TEST(PlanBuilder, APlanGetsAllItsBytesOnDemand) {
  const ModelWithFilter model(false);
  const auto plan = *build_plan(model.model(), true);
  const auto complete = with_all_bytes(plan);
  EXPECT_NE(complete, plan);
  EXPECT_EQ(with_all_bytes(complete), complete) << "nothing is left to do";
  for (const PlanTensor& tensor : complete->tensors) EXPECT_EQ(tensor.transposed, nullptr);
}

}  // namespace
}  // namespace nnvk
