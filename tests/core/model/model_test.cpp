// Building and finishing models: states, constants, structure, control flow. tests/api has the codes of the misuse table.
#include "core/model/model.h"

#include <gtest/gtest.h>

#include <array>
#include <cstring>
#include <numeric>
#include <vector>

namespace nnvk {
namespace {

constexpr int32_t kAdd = 0;
constexpr int32_t kRelu = 19;
constexpr int32_t kIf = 96;
constexpr int32_t kWhile = 97;

Code code_of(const Status& status) { return status ? Code::kNoError : status.error().code; }

class ModelTest : public ::testing::Test {
 protected:
  // Adds an operand and returns its index.
  static uint32_t add(Model& model, int32_t type, std::vector<uint32_t> dims = {}) {
    const OperandTypeDescription description{type, dims.empty() ? nullptr : dims.data(), static_cast<uint32_t>(dims.size()), 0,
                                             0};
    EXPECT_TRUE(model.add_operand(description));
    return static_cast<uint32_t>(model.operands().size() - 1);
  }
  static Status operation(Model& model, int32_t code, std::vector<uint32_t> inputs, std::vector<uint32_t> outputs) {
    return model.add_operation(code, inputs, outputs);
  }
  static Status identify(Model& model, std::vector<uint32_t> inputs, std::vector<uint32_t> outputs) {
    return model.identify_inputs_and_outputs(inputs, outputs);
  }
  // A finished model that computes RELU of one tensor.
  void build_relu(Model& model, std::vector<uint32_t> dims = {2}) {
    const uint32_t x = add(model, 3, dims);
    const uint32_t y = add(model, 3, dims);
    ASSERT_TRUE(operation(model, kRelu, {x}, {y}));
    ASSERT_TRUE(identify(model, {x}, {y}));
    ASSERT_TRUE(model.finish());
  }

  ExtensionRegistry extensions_;
};

TEST_F(ModelTest, FinishesOnceAndIsReadOnlyAfterwards) {
  Model model(extensions_);
  build_relu(model);
  EXPECT_EQ(code_of(model.finish()), Code::kBadState);
  EXPECT_EQ(code_of(model.set_relaxed(true)), Code::kBadState);
  EXPECT_TRUE(model.require_finished());
  EXPECT_EQ(model.feature_level(), 1);
}

TEST_F(ModelTest, AFailedFinishMakesTheModelInvalidForEver) {
  Model model(extensions_);
  EXPECT_EQ(code_of(model.finish()), Code::kBadData);
  EXPECT_EQ(model.state(), Model::State::kInvalid);
  EXPECT_EQ(code_of(model.finish()), Code::kBadState);
  EXPECT_EQ(code_of(model.require_finished()), Code::kBadState);
}

TEST_F(ModelTest, OperationsMayBeAddedInAnyOrder) {
  Model model(extensions_);
  const uint32_t x = add(model, 3, {2});
  const uint32_t middle = add(model, 3, {2});
  const uint32_t y = add(model, 3, {2});
  ASSERT_TRUE(operation(model, kRelu, {middle}, {y}));
  ASSERT_TRUE(operation(model, kRelu, {x}, {middle}));
  ASSERT_TRUE(identify(model, {x}, {y}));
  ASSERT_TRUE(model.finish());
  EXPECT_EQ(model.run_order(), (std::vector<uint32_t>{1, 0}));
}

TEST_F(ModelTest, CyclesAreRefused) {
  Model model(extensions_);
  const uint32_t x = add(model, 3, {2});
  const uint32_t a = add(model, 3, {2});
  const uint32_t b = add(model, 3, {2});
  const uint32_t activation = add(model, 1);
  const int32_t none = 0;
  ASSERT_TRUE(model.set_operand_value(activation, &none, 4));
  ASSERT_TRUE(operation(model, kAdd, {x, a, activation}, {b}));
  ASSERT_TRUE(operation(model, kRelu, {b}, {a}));
  ASSERT_TRUE(identify(model, {x}, {b}));
  const Status status = model.finish();
  ASSERT_EQ(code_of(status), Code::kBadData);
  EXPECT_NE(status.error().message.find("cycle"), std::string::npos);
}

TEST_F(ModelTest, ShortConstantsAreCopiedAtOnceAndLongOnesAtFinish) {
  Model model(extensions_);
  std::array<float, 32> small{};
  std::vector<float> large(40, 1.0F);
  small[0] = 5.0F;
  const uint32_t x = add(model, 3, {32});
  const uint32_t c = add(model, 3, {32});
  const uint32_t activation = add(model, 1);
  const uint32_t y = add(model, 3, {32});
  const uint32_t unused = add(model, 3, {40});
  const int32_t none = 0;
  ASSERT_TRUE(model.set_operand_value(activation, &none, 4));
  ASSERT_TRUE(model.set_operand_value(c, small.data(), sizeof small));
  ASSERT_TRUE(model.set_operand_value(unused, large.data(), large.size() * 4));
  small[0] = -1.0F;
  ASSERT_TRUE(operation(model, kAdd, {x, c, activation}, {y}));
  ASSERT_TRUE(identify(model, {x}, {y}));
  ASSERT_TRUE(model.finish());
  large.assign(40, -1.0F);
  float value = 0;
  std::memcpy(&value, model.operands()[c].value.data(), 4);
  EXPECT_EQ(value, 5.0F);
  std::memcpy(&value, model.operands()[unused].value.data(), 4);
  EXPECT_EQ(value, 1.0F);
  EXPECT_EQ(reinterpret_cast<uintptr_t>(model.operands()[unused].value.data()) % 64, 0U);
}

TEST_F(ModelTest, ALongValueInPlaceIsNeverCopied) {
  Model model(extensions_);
  const std::vector<float> large(40, 1.0F);
  std::vector<float> small(32, 5.0F);
  const uint32_t x = add(model, 3, {2});
  const uint32_t y = add(model, 3, {2});
  const uint32_t unused = add(model, 3, {40});
  const uint32_t short_one = add(model, 3, {32});
  ASSERT_TRUE(model.set_operand_value(unused, large.data(), large.size() * 4, Model::LongValue::kInPlace));
  ASSERT_TRUE(model.set_operand_value(short_one, small.data(), small.size() * 4, Model::LongValue::kInPlace));
  small.assign(32, -1.0F);
  ASSERT_TRUE(operation(model, kRelu, {x}, {y}));
  ASSERT_TRUE(identify(model, {x}, {y}));
  ASSERT_TRUE(model.finish());
  EXPECT_EQ(model.operands()[unused].value.data(), reinterpret_cast<const std::byte*>(large.data()));
  EXPECT_EQ(model.operands()[unused].owner, nullptr);
  float value = 0;
  std::memcpy(&value, model.operands()[short_one].value.data(), 4);
  EXPECT_EQ(value, 5.0F) << "values of up to 128 bytes are copied at once";
}

TEST_F(ModelTest, ALongValueInAnotherOrderIsNeitherCopiedNorMoved) {
  Model model(extensions_);
  std::vector<float> large(40);
  std::iota(large.begin(), large.end(), 0.0F);
  std::vector<float> small(large.begin(), large.begin() + 6);
  const uint32_t order[] = {1, 0};
  const uint32_t long_one = add(model, 3, {8, 5});
  const uint32_t short_one = add(model, 3, {3, 2});
  ASSERT_TRUE(model.set_transposed_value(long_one, std::as_bytes(std::span(large)), order));
  ASSERT_TRUE(model.set_transposed_value(short_one, std::as_bytes(std::span(small)), order));
  small.assign(6, -1.0F);
  const Operand& waits = model.operands()[long_one];
  ASSERT_NE(waits.transposed, nullptr);
  EXPECT_EQ(waits.role, TensorRole::kConstant);
  EXPECT_EQ(waits.transposed->source.data(), reinterpret_cast<const std::byte*>(large.data()));
  const Operand& copied = model.operands()[short_one];
  EXPECT_EQ(copied.transposed, nullptr);
  std::vector<float> values(6);
  ASSERT_EQ(copied.value.size(), sizeof(float) * values.size());
  std::memcpy(values.data(), copied.value.data(), copied.value.size());
  EXPECT_EQ(values, (std::vector<float>{0, 3, 1, 4, 2, 5}));
  ASSERT_TRUE(model.set_operand_value(long_one, large.data(), large.size() * 4, Model::LongValue::kInPlace));
  EXPECT_EQ(model.operands()[long_one].transposed, nullptr) << "a later value replaces it";
}

TEST_F(ModelTest, AnOrderMustNameEachDimensionOnce) {
  Model model(extensions_);
  const std::vector<float> values(40);
  const auto bytes = std::as_bytes(std::span(values));
  const uint32_t tensor = add(model, 3, {8, 5});
  const uint32_t open = add(model, 3, {8, 0});
  const uint32_t scalar = add(model, 0, {});
  const std::vector<uint32_t> right{1, 0};
  const auto set = [&](uint32_t operand, std::span<const std::byte> value, const std::vector<uint32_t>& order) {
    return code_of(model.set_transposed_value(operand, value, order));
  };
  EXPECT_EQ(set(tensor, bytes, {1}), Code::kBadData);
  EXPECT_EQ(set(tensor, bytes, {1, 0, 2}), Code::kBadData);
  EXPECT_EQ(set(tensor, bytes, {1, 1}), Code::kBadData);
  EXPECT_EQ(set(tensor, bytes, {0, 2}), Code::kBadData);
  EXPECT_EQ(set(tensor, bytes.first(156), right), Code::kBadData);
  EXPECT_EQ(set(open, bytes, right), Code::kBadData);
  EXPECT_EQ(set(scalar, bytes.first(4), {}), Code::kBadData);
  EXPECT_EQ(set(99, bytes, right), Code::kBadData);
  EXPECT_EQ(model.operands()[tensor].role, TensorRole::kTemporary) << "a failing call changes nothing";
  EXPECT_EQ(set(tensor, bytes, right), Code::kNoError);
}

TEST_F(ModelTest, AValueInPlaceMayReplaceOneThatWouldBeCopied) {
  Model model(extensions_);
  const std::vector<float> copied(40, 1.0F);
  const std::vector<float> in_place(40, 2.0F);
  const uint32_t first = add(model, 3, {40});
  const uint32_t second = add(model, 3, {40});
  ASSERT_TRUE(model.set_operand_value(first, copied.data(), copied.size() * 4));
  ASSERT_TRUE(model.set_operand_value(first, in_place.data(), in_place.size() * 4, Model::LongValue::kInPlace));
  ASSERT_TRUE(model.set_operand_value(second, in_place.data(), in_place.size() * 4, Model::LongValue::kInPlace));
  ASSERT_TRUE(model.set_operand_value(second, copied.data(), copied.size() * 4));
  const uint32_t x = add(model, 3, {2});
  const uint32_t y = add(model, 3, {2});
  ASSERT_TRUE(operation(model, kRelu, {x}, {y}));
  ASSERT_TRUE(identify(model, {x}, {y}));
  ASSERT_TRUE(model.finish());
  EXPECT_EQ(model.operands()[first].value.data(), reinterpret_cast<const std::byte*>(in_place.data()));
  EXPECT_NE(model.operands()[second].value.data(), reinterpret_cast<const std::byte*>(copied.data()));
  EXPECT_NE(model.operands()[second].owner, nullptr);
}

TEST_F(ModelTest, ALongValueMayBeReplacedBeforeFinish) {
  Model model(extensions_);
  std::vector<float> large(40, 1.0F);
  const uint32_t unused = add(model, 3, {40});
  ASSERT_TRUE(model.set_operand_value(unused, large.data(), large.size() * 4));
  ASSERT_TRUE(model.set_operand_value(unused, nullptr, 0));
  large.clear();
  large.shrink_to_fit();
  const uint32_t x = add(model, 3, {2});
  const uint32_t y = add(model, 3, {2});
  ASSERT_TRUE(operation(model, kRelu, {x}, {y}));
  ASSERT_TRUE(identify(model, {x}, {y}));
  ASSERT_TRUE(model.finish());
  EXPECT_EQ(model.operands()[unused].role, TensorRole::kOmitted);
}

TEST_F(ModelTest, UnknownRankNeedsFeatureLevel3) {
  Model model(extensions_);
  build_relu(model, {});
  EXPECT_EQ(model.feature_level(), 3);
}

TEST_F(ModelTest, IdentifyingTwiceIsFoundAtFinish) {
  Model model(extensions_);
  const uint32_t x = add(model, 3, {2});
  const uint32_t a = add(model, 3, {2});
  const uint32_t y = add(model, 3, {2});
  ASSERT_TRUE(operation(model, kRelu, {x}, {a}));
  ASSERT_TRUE(operation(model, kRelu, {a}, {y}));
  ASSERT_TRUE(identify(model, {x}, {y}));
  const uint32_t x2 = add(model, 3, {2});
  ASSERT_TRUE(identify(model, {x2}, {a}));
  EXPECT_EQ(code_of(model.finish()), Code::kBadData);
}

TEST_F(ModelTest, BranchesOfIfMustFitTheOuterOperands) {
  Model branch(extensions_);
  build_relu(branch);
  Model other(extensions_);
  build_relu(other, {3});
  Model model(extensions_);
  const uint32_t condition = add(model, 9, {1});
  const uint32_t then_model = add(model, 15);
  const uint32_t else_model = add(model, 15);
  const uint32_t x = add(model, 3, {2});
  const uint32_t y = add(model, 3, {2});
  EXPECT_EQ(code_of(operation(model, kIf, {condition, then_model, else_model, x}, {y})), Code::kBadData);  // no values yet
  ASSERT_TRUE(model.set_operand_value_from_model(then_model, branch));
  ASSERT_TRUE(model.set_operand_value_from_model(else_model, other));
  EXPECT_EQ(code_of(operation(model, kIf, {condition, then_model, else_model, x}, {y})), Code::kBadData);  // {3} is not {2}
  ASSERT_TRUE(model.set_operand_value_from_model(else_model, branch));
  EXPECT_EQ(code_of(operation(model, kIf, {condition, then_model, else_model}, {y})), Code::kBadData);  // an input is missing
  EXPECT_TRUE(operation(model, kIf, {condition, then_model, else_model, x}, {y}));
  ASSERT_TRUE(identify(model, {condition, x}, {y}));
  EXPECT_TRUE(model.finish());
  EXPECT_EQ(model.feature_level(), 4);
}

TEST_F(ModelTest, TheConditionOfWhileIsOneBoolean) {
  constexpr int32_t kGreater = 53;
  const auto build_condition = [&](Model& condition, std::vector<uint32_t> output) {
    const uint32_t a = add(condition, 3, {1});
    const uint32_t limit = add(condition, 3, {1});
    const uint32_t result = add(condition, 9, output);
    const float ten = 10.0F;
    ASSERT_TRUE(condition.set_operand_value(limit, &ten, 4));
    ASSERT_TRUE(operation(condition, kGreater, {limit, a}, {result}));
    ASSERT_TRUE(identify(condition, {a}, {result}));
    ASSERT_TRUE(condition.finish());
  };
  Model good(extensions_);
  build_condition(good, {1});
  Model open(extensions_);
  build_condition(open, {0});
  Model body(extensions_);
  build_relu(body, {1});
  Model model(extensions_);
  const uint32_t condition = add(model, 15);
  const uint32_t body_model = add(model, 15);
  const uint32_t x = add(model, 3, {1});
  const uint32_t y = add(model, 3, {1});
  ASSERT_TRUE(model.set_operand_value_from_model(condition, open));
  ASSERT_TRUE(model.set_operand_value_from_model(body_model, body));
  EXPECT_EQ(code_of(operation(model, kWhile, {condition, body_model, x}, {y})), Code::kBadData);
  ASSERT_TRUE(model.set_operand_value_from_model(condition, good));
  EXPECT_TRUE(operation(model, kWhile, {condition, body_model, x}, {y}));
}

}  // namespace
}  // namespace nnvk
