// Which answers of drivers nnvk accepts, and which it rejects.
#include "accelerators/driver_model.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <limits>

#include "tests/support/bindings.h"

namespace nnvk::accelerators {
namespace {

using ::testing::HasSubstr;

DeviceDescription good_device() {
  DeviceDescription device;
  device.name = "npu";
  device.version = "1";
  device.type = 4;
  device.feature_level = 31;
  return device;
}

TEST(DeviceDescriptions, GoodOnesAreTaken) { EXPECT_TRUE(check_device(good_device())); }

TEST(DeviceDescriptions, RubbishIsNot) {
  const auto spoilt = [](auto&& spoil) {
    DeviceDescription device = good_device();
    spoil(device);
    return test::code_of(check_device(device));
  };
  EXPECT_EQ(spoilt([](auto& d) { d.name = ""; }), Code::kBadData);
  EXPECT_EQ(spoilt([](auto& d) { d.name = "a\nb"; }), Code::kBadData);
  EXPECT_EQ(spoilt([](auto& d) { d.version = std::string(1000, 'x'); }), Code::kBadData);
  EXPECT_EQ(spoilt([](auto& d) { d.type = 5; }), Code::kBadData);
  EXPECT_EQ(spoilt([](auto& d) { d.feature_level = 30; }), Code::kBadData);
  EXPECT_EQ(spoilt([](auto& d) { d.relaxed_tensor.execution_time = std::numeric_limits<float>::quiet_NaN(); }), Code::kBadData);
  EXPECT_EQ(spoilt([](auto& d) { d.operands[3].power_usage = -1; }), Code::kBadData);
  EXPECT_EQ(spoilt([](auto& d) { d.model_cache_files = 33; }), Code::kBadData);
  EXPECT_EQ(spoilt([](auto& d) { d.extensions.push_back({"Bad Name", {}, {}}); }), Code::kBadData);
  EXPECT_EQ(spoilt([](auto& d) { d.extensions.push_back({"a.b", {{1, true, 4}, {1, true, 4}}, {}}); }), Code::kBadData);
}

// y = RELU(x) of two floats.
ModelDescription good_model() {
  ModelDescription model;
  model.operands = {{.type = 3, .dimensions = {2}, .life = OperandLife::kInput},
                    {.type = 3, .dimensions = {2}, .life = OperandLife::kOutput}};
  model.operations = {{.code = 19, .inputs = {0}, .outputs = {1}}};
  model.inputs = {0};
  model.outputs = {1};
  return model;
}

TEST(ModelDescriptions, GoodOnesAreTaken) { EXPECT_TRUE(check_model(good_model())); }

TEST(ModelDescriptions, WhatContradictsItselfIsNot) {
  const auto spoilt = [](auto&& spoil) {
    ModelDescription model = good_model();
    spoil(model);
    return test::code_of(check_model(model));
  };
  EXPECT_EQ(spoilt([](auto& m) { m.operations[0].inputs[0] = 7; }), Code::kBadData);
  EXPECT_EQ(spoilt([](auto& m) { m.operations[0].outputs[0] = 7; }), Code::kBadData);
  EXPECT_EQ(spoilt([](auto& m) { m.operations[0].outputs[0] = 0; }), Code::kBadData) << "an input is written";
  EXPECT_EQ(spoilt([](auto& m) { m.operations[0].inputs[0] = 1; }), Code::kBadData) << "read before it is written";
  EXPECT_EQ(spoilt([](auto& m) { m.operations[0].outputs.clear(); }), Code::kBadData);
  EXPECT_EQ(spoilt([](auto& m) { m.operations.clear(); }), Code::kBadData) << "an output that nobody writes";
  EXPECT_EQ(spoilt([](auto& m) { m.inputs = {0, 0}; }), Code::kBadData);
  EXPECT_EQ(spoilt([](auto& m) { m.inputs = {}; }), Code::kBadData);
  EXPECT_EQ(spoilt([](auto& m) { m.outputs = {0}; }), Code::kBadData);
  EXPECT_EQ(spoilt([](auto& m) { m.operands[0].type = 99; }), Code::kBadData);
  EXPECT_EQ(spoilt([](auto& m) { m.operands[0].type = 15; }), Code::kBadData) << "a referenced model";
  EXPECT_EQ(spoilt([](auto& m) { m.operands[0].life = static_cast<OperandLife>(9); }), Code::kBadData);
  EXPECT_EQ(spoilt([](auto& m) { m.operands[0].bytes = {std::byte{1}}; }), Code::kBadData) << "an input with a value";
  EXPECT_EQ(spoilt([](auto& m) { m.operands.push_back({.type = 3, .dimensions = {1}, .life = OperandLife::kConstant}); }),
            Code::kBadData)
      << "a constant without a value";
  EXPECT_EQ(spoilt([](auto& m) {
              m.operands.push_back({.type = 3, .dimensions = {1}, .life = OperandLife::kConstant});
              m.operands.back().range = {RegionId{1}, UINT64_MAX, 4};
            }),
            Code::kBadData)
      << "a range that wraps around";
}

// An execution with one output of a number of floats (0: unknown), bound to `room` bytes. The driver returns `answer`.
struct Answered {
  ModelOperand declared{.type = 3, .dimensions = {2, 0}, .life = OperandLife::kOutput};
  ArgumentPlace place{.range = {RegionId{1}, 0, 24}, .dimensions = {2, 3}};
  ExecutionAnswer answer{.code = Code::kNoError, .outputs = {{{2, 3}, true}}};

  Status check() { return check_answer(answer, std::span(&declared, 1), std::span(&place, 1)); }
};

TEST(ExecutionAnswers, GoodOnesAreTaken) { EXPECT_TRUE(Answered().check()); }

TEST(ExecutionAnswers, AnEmptyResultIsTaken) {
  Answered a;
  a.place.dimensions = {2, 0};
  a.answer.outputs[0].dimensions = {2, 0};
  EXPECT_TRUE(a.check());
}

TEST(ExecutionAnswers, ErrorsKeepTheirCodesAndBringNoShapes) {
  for (const Code code : {Code::kOpFailed, Code::kDeadObject, Code::kMissedDeadlineTransient, Code::kUnavailableDevice}) {
    Answered a;
    a.answer.code = code;
    EXPECT_EQ(test::code_of(a.check()), code);
    EXPECT_TRUE(a.answer.outputs.empty());
  }
}

TEST(ExecutionAnswers, MemoryThatIsTooSmallIsToldWithShapes) {
  Answered a;
  a.answer.code = Code::kOutputInsufficientSize;
  a.answer.outputs[0] = {{2, 3}, false};
  EXPECT_EQ(test::code_of(a.check()), Code::kOutputInsufficientSize);
  EXPECT_EQ(a.answer.outputs.size(), 1U);
}

TEST(ExecutionAnswers, RubbishIsAFailedOperation) {
  const auto spoilt = [](auto&& spoil) {
    Answered a;
    spoil(a);
    const Code code = test::code_of(a.check());
    EXPECT_TRUE(code == Code::kNoError || a.answer.outputs.empty());
    return code;
  };
  EXPECT_EQ(spoilt([](Answered& a) { a.answer.outputs.clear(); }), Code::kOpFailed);
  EXPECT_EQ(spoilt([](Answered& a) { a.answer.outputs.resize(1000); }), Code::kOpFailed);
  EXPECT_EQ(spoilt([](Answered& a) { a.answer.outputs[0].dimensions = {2}; }), Code::kOpFailed);
  EXPECT_EQ(spoilt([](Answered& a) { a.answer.outputs[0].dimensions = {3, 2}; }), Code::kOpFailed);
  EXPECT_EQ(spoilt([](Answered& a) { a.answer.outputs[0].dimensions.resize(100000, 1); }), Code::kOpFailed);
  EXPECT_EQ(spoilt([](Answered& a) { a.answer.outputs[0].sufficient = false; }), Code::kOpFailed);
  EXPECT_EQ(spoilt([](Answered& a) { a.place.range.length = 20; }), Code::kOpFailed) << "more than there is room for";
  EXPECT_EQ(spoilt([](Answered& a) {
              a.place.dimensions = {};
              a.answer.outputs[0].dimensions = {2, 0xFFFFFFFF};
            }),
            Code::kOpFailed);
  EXPECT_EQ(spoilt([](Answered& a) { a.answer.code = Code::kOutputInsufficientSize; }), Code::kOpFailed) << "of which output?";
  EXPECT_EQ(spoilt([](Answered& a) { a.answer.code = static_cast<Code>(4242); }), Code::kOpFailed);
  EXPECT_EQ(spoilt([](Answered& a) { a.answer.code = Code::kBadState; }), Code::kOpFailed);
  EXPECT_EQ(spoilt([](Answered& a) { a.declared = {.type = 0, .life = OperandLife::kOutput}; }), Code::kOpFailed) << "a scalar";
}

TEST(CompiledModels, WishesForMemoryArePowersOfTwoAndOnePerArgument) {
  const CompiledModel good{CompilationId{1}, {{64, 64}}, {{1, 16}}};
  EXPECT_TRUE(check_compiled(good, 1, 1));
  EXPECT_FALSE(check_compiled(good, 2, 1));
  EXPECT_FALSE(check_compiled({CompilationId::kNone, {{1, 1}}, {{1, 1}}}, 1, 1));
  EXPECT_FALSE(check_compiled({CompilationId{1}, {{0, 1}}, {{1, 1}}}, 1, 1));
  EXPECT_FALSE(check_compiled({CompilationId{1}, {{1, 1}}, {{1, 3}}}, 1, 1));
}

}  // namespace
}  // namespace nnvk::accelerators
