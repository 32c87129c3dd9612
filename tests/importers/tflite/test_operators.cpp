// Every operator computes what it is defined to compute, and refuses what it is not defined for with a message that names it.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <set>

#include "importers/tflite/importer.h"
#include "importers/tflite/operator_names.h"
#include "tests/importers/tflite/operator_case.h"

namespace nnvk::test {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;

class EveryOperator : public ::testing::TestWithParam<size_t> {
 protected:
  const OperatorCase& one() const { return operator_cases()[GetParam()]; }
  std::string where() const { return "operator 0 (" + importers::tflite::builtin_operator_name(one().code) + ")"; }
};

std::string name_of(const ::testing::TestParamInfo<size_t>& info) {
  const OperatorCase& one = operator_cases()[info.param];
  return importers::tflite::builtin_operator_name(one.code) + one.name;
}

TEST_P(EveryOperator, ComputesItsResult) { expect_computes(file_of(one()), one().inputs, one().outputs, one().tolerance); }

TEST_P(EveryOperator, RefusesMissingInputs) {
  for (size_t i = 0; i < one().inputs.size(); ++i) {
    OperatorCase damaged = one();
    damaged.inputs[i] = kOmitted;
    damaged.inputs.push_back(made_up({1}, 1));  // so that the model has an input
    if (i > 0) damaged.inputs.pop_back();
    const std::string error = error_of(file_of(damaged));
    const bool is_model_without_inputs = error == "the model has no inputs";
    if (i == 0) {
      EXPECT_THAT(error, AllOf(HasSubstr(where()), HasSubstr("input 0 is missing")));
    }
    EXPECT_TRUE(error.empty() || is_model_without_inputs || error.find(where()) != std::string::npos) << i << ": " << error;
  }
}

// The reason against the operator in a dry run; empty if there is none.
std::string reason_against(const OperatorCase& one) {
  const auto graph = importers::tflite::read_graph(file_of(one));
  EXPECT_TRUE(graph) << graph.error().message;
  const auto refused = importers::tflite::refusals(*graph);
  EXPECT_TRUE(refused) << refused.error().message;
  return refused && (*refused)[0] ? *(*refused)[0] : "";
}

TEST_P(EveryOperator, IsNotRefusedByTheDryRun) { EXPECT_EQ(reason_against(one()), ""); }

TEST_P(EveryOperator, RefusesTypesThatNnapiDoesNotHave) {
  if (one().code == format::BuiltinOperator_SHAPE || one().code == format::BuiltinOperator_RANK) return;  // any type will do
  size_t tried = 0;
  for (size_t i = 0; i < one().inputs.size(); ++i) {
    OperatorCase damaged = one();
    FileTensor& input = damaged.inputs[i];
    if (input.constant || input.variable || input.values.empty()) continue;
    input.type = format::TensorType_COMPLEX64;
    EXPECT_THAT(reason_against(damaged), HasSubstr("COMPLEX64")) << i;
    EXPECT_THAT(error_of(file_of(damaged)), HasSubstr("COMPLEX64")) << i;
    ++tried;
  }
  EXPECT_GT(tried, 0U);
}

TEST_P(EveryOperator, RefusesAResultOfAnotherShape) {
  OperatorCase damaged = one();
  damaged.outputs[0].shape.assign(9, 2);
  EXPECT_THAT(error_of(file_of(damaged)), HasSubstr(where()));
}

TEST_P(EveryOperator, RefusesInputsOfAnotherRank) {
  if (one().code == format::BuiltinOperator_RANK || one().code == format::BuiltinOperator_LSH_PROJECTION) return;  // any will do
  for (size_t i = 0; i < one().inputs.size(); ++i) {
    OperatorCase damaged = one();
    FileTensor& input = damaged.inputs[i];
    if (input.constant || input.values.empty()) continue;
    input.shape.insert(input.shape.begin(), {1, 1, 1, 1, 2});
    EXPECT_THAT(error_of(file_of(damaged)), HasSubstr(where())) << i;
  }
}

INSTANTIATE_TEST_SUITE_P(Tflite, EveryOperator, ::testing::Range<size_t>(0, operator_cases().size()), name_of);

TEST(TfliteOperators, EachHasACase) {
  std::set<int> covered;
  for (const OperatorCase& one : operator_cases()) covered.insert(one.code);
  for (const format::BuiltinOperator code : format::EnumValuesBuiltinOperator()) {
    const bool elsewhere = code == format::BuiltinOperator_CUSTOM || code == format::BuiltinOperator_IF ||
                           code == format::BuiltinOperator_WHILE ||
                           code == format::BuiltinOperator_PLACEHOLDER_FOR_GREATER_OP_CODES;
    EXPECT_TRUE(elsewhere || covered.contains(code)) << importers::tflite::builtin_operator_name(code);
  }
}

}  // namespace
}  // namespace nnvk::test
