// The support table has every operation and type rule of core/operations, and docs/support.md equals the library's answers.
#include <gtest/gtest.h>

#include <fstream>
#include <set>

#include "core/operations/operation_definition.h"
#include "core/operations/operation_enumerators.h"
#include "tests/tools/nnvk_program.h"
#include "tools/conformance/families.h"
#include "tools/conformance/generators/rows.h"
#include "tools/conformance/support.h"
#include "tools/nnapi/names.h"

namespace nnvk::tools::conformance {
namespace {

std::set<TypeCombination> generated_combinations() {
  std::set<TypeCombination> combinations;
  for (const auto& row : generated_rows().all()) {
    if (!row.must_be_refused) combinations.insert(combination_of(row.make(0), row.operation));
  }
  return combinations;
}

std::vector<int32_t> codes(std::span<const OperandType> types) {
  std::vector<int32_t> result;
  for (const OperandType type : types) result.push_back(static_cast<int32_t>(type));
  return result;
}

TEST(SupportTable, EveryOperationIsInOneFamily) {
  std::multiset<std::string_view> names;
  for (const auto& family : families()) names.insert(family.operations.begin(), family.operations.end());
  for (int32_t code = 0; code < kOperationCount; ++code) EXPECT_EQ(names.count(operation_name(code)), 1u) << operation_name(code);
  EXPECT_EQ(names.size(), static_cast<size_t>(kOperationCount));
}

TEST(SupportTable, EveryTypeRuleOfEveryOperationHasGeneratedCases) {
  const auto generated = generated_combinations();
  for (int32_t code = 0; code < kOperationCount; ++code) {
    const auto* definition = find_operation(static_cast<OperationCode>(code));
    ASSERT_NE(definition, nullptr) << operation_name(code);
    const auto first = generated.lower_bound({code, ""});
    EXPECT_TRUE(first != generated.end() && first->operation == code)
        << operation_name(code) << " has no rows in tools/conformance/generators";
    for (const auto& signature : definition->signatures) {
      for (const auto& rule : signature.type_rules) {
        const auto label = combination_label(codes(rule.inputs), codes(rule.outputs));
        EXPECT_TRUE(generated.contains({code, label}))
            << operation_name(code) << " has no generated case with the types " << label;
      }
    }
  }
}

TEST(SupportTable, DocumentIsWhatTheLibrarySays) {
  const auto result = test::nnvk(std::string("operations --check '") + NNVK_SOURCE_DIR + "/docs/support.md'");
  if (result.code == 3) GTEST_SKIP() << "no Vulkan device: " << result.text;
  EXPECT_EQ(result.code, 0) << result.text;
}

TEST(SupportTable, DocumentNamesAllOperations) {
  std::ifstream stream(std::string(NNVK_SOURCE_DIR) + "/docs/support.md");
  const std::string text{std::istreambuf_iterator<char>(stream), {}};
  for (int32_t code = 0; code < kOperationCount; ++code) {
    EXPECT_NE(text.find("| " + operation_name(code) + " |"), std::string::npos) << operation_name(code);
  }
}

}  // namespace
}  // namespace nnvk::tools::conformance
