// The operation table: self-consistent, and equal to docs/data/operations, and to the specification's JSON files if they are
// installed.
#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>
#include <set>

#include "core/operations/families/families.h"
#include "tests/support/conformance_vectors.h"
#include "tests/support/operation_family.h"

namespace nnvk {
namespace {

TEST(OperationTable, EveryBuiltInOperationHasARowWithAShapeFunction) {
  for (int32_t i = 0; i < kOperationCount; ++i) {
    const auto code = static_cast<OperationCode>(i);
    const OperationDefinition* definition = find_operation(code);
    ASSERT_NE(definition, nullptr) << operation_name(code);
    EXPECT_EQ(definition->code, code);
    EXPECT_NE(definition->infer, nullptr) << operation_name(code);
    EXPECT_TRUE(definition->layout != nullptr) << operation_name(code);
    EXPECT_EQ(definition->multiply_adds != nullptr, is_product(definition->cost)) << operation_name(code);
    EXPECT_FALSE(definition->signatures.empty()) << operation_name(code);
  }
}

TEST(OperationTable, EveryRowIsInTheFileOfItsFamily) {
#define NNVK_EXPECT_ROWS(family)                               \
  for (const OperationDefinition& row : family##_operations()) \
    EXPECT_EQ(test::operation_family(row.code), #family) << operation_name(row.code);
  NNVK_FAMILIES(NNVK_EXPECT_ROWS)
#undef NNVK_EXPECT_ROWS
}

TEST(OperationTable, CodesOutsideTheBuiltInRangeHaveNoRow) {
  for (const int32_t code : {-1, INT32_MIN, kOperationCount, 10000, 0x00010002, INT32_MAX}) {
    EXPECT_EQ(find_operation(static_cast<OperationCode>(code)), nullptr) << code;
  }
}

TEST(OperationTable, CountsNeverExceedTheTypesOfARule) {
  for (int32_t i = 0; i < kOperationCount; ++i) {
    const OperationDefinition& definition = *find_operation(static_cast<OperationCode>(i));
    for (const Signature& signature : definition.signatures) {
      EXPECT_EQ(signature.input_counts.empty(), definition.variadic_from >= 0) << operation_name(definition.code);
      for (const TypeRule& rule : signature.type_rules) {
        for (const uint8_t count : signature.input_counts)
          EXPECT_LE(count, rule.inputs.size()) << operation_name(definition.code);
        EXPECT_GE(rule.outputs.size(), std::max<size_t>(signature.output_count, 1)) << operation_name(definition.code);
      }
    }
  }
}

// A combination of operand types and the feature level at which it is accepted.
struct Combination {
  std::vector<OperandType> inputs;
  std::vector<OperandType> outputs;
  int level = 1;
  auto operator<=>(const Combination&) const = default;
};

std::string describe(const Combination& combination) {
  std::string text = "level " + std::to_string(combination.level) + " (";
  for (const OperandType type : combination.inputs) text += operand_type_name(type) + " ";
  text += ") -> (";
  for (const OperandType type : combination.outputs) text += operand_type_name(type) + " ";
  return text + ")";
}

// Raises the feature level to that of the operand types, which can be higher than the operation's.
void raise_to_types(Combination& combination) {
  for (const auto* list : {&combination.inputs, &combination.outputs}) {
    for (const OperandType type : *list) combination.level = std::max(combination.level, operand_type_feature_level(type));
  }
}

// Variadic operations are compared with one and with three repeated operands.
constexpr size_t kRepeats[] = {1, 3};

std::set<Combination> combinations_of_row(const OperationDefinition& definition) {
  std::set<Combination> result;
  for (const Signature& signature : definition.signatures) {
    for (const TypeRule& rule : signature.type_rules) {
      const int level = std::max({definition.since, signature.since, rule.since});
      std::vector<std::vector<OperandType>> inputs;
      for (const uint8_t count : signature.input_counts) inputs.emplace_back(rule.inputs.begin(), rule.inputs.begin() + count);
      if (definition.variadic_from >= 0) {
        for (const size_t repeat : kRepeats) {
          std::vector<OperandType> list(rule.inputs.begin(), rule.inputs.end());
          list.insert(list.begin() + definition.variadic_from, repeat - 1,
                      rule.inputs[static_cast<size_t>(definition.variadic_from)]);
          inputs.push_back(list);
        }
      }
      for (const auto& list : inputs) {
        const auto outputs = rule.outputs.first(std::max<size_t>(signature.output_count, 1));
        Combination combination{list, {outputs.begin(), outputs.end()}, level};
        raise_to_types(combination);
        result.insert(combination);
      }
    }
  }
  return result;
}

using nlohmann::json;

bool rule_belongs_to(const json& rule, const std::string& signature) {
  if (rule.contains("signature")) return rule.at("signature") == signature;
  if (!rule.contains("signatures")) return true;
  const auto names = rule.at("signatures").get<std::vector<std::string>>();
  return std::find(names.begin(), names.end(), signature) != names.end();
}

// Keys are "3", or a range such as "0..n-1": the operand that repeats.
std::vector<OperandType> types_of_outputs(const json& signature, const json& outputs) {
  std::vector<OperandType> result(signature.at("outputs").size());
  for (const auto& [key, type] : outputs.items()) {
    const size_t index = key.find("..") == std::string::npos ? std::stoul(key) : 0;
    if (index < result.size()) result[index] = test::operand_type_named(type.get<std::string>());
  }
  return result;
}

// Input types of a rule with `count` inputs. Types that the rule does not repeat are in the operand's own description.
std::vector<OperandType> types_of_inputs(const json& signature, const json& rule, size_t count) {
  std::vector<OperandType> result;
  for (size_t i = 0; i < count; ++i) {
    const std::string key = std::to_string(i);
    const json& operand = signature.at("inputs").at(i);
    if (rule.at("inputs").contains(key)) {
      result.push_back(test::operand_type_named(rule.at("inputs").at(key).get<std::string>()));
    } else if (operand.contains("type")) {
      result.push_back(test::operand_type_named(operand.at("type").get<std::string>()));
    } else {
      result.push_back(result.front());  // the optional weights of LSTM: the type of the data
    }
  }
  return result;
}

std::set<Combination> combinations_of_specification(const json& operation) {
  std::set<Combination> result;
  for (const json& signature : operation.at("signatures")) {
    for (const json& rule : operation.at("type_rules")) {
      if (!rule_belongs_to(rule, signature.at("id").get<std::string>())) continue;
      const int level =
          std::max({operation.at("since").get<int>(), signature.at("since").get<int>(), rule.at("since").get<int>()});
      const auto outputs = types_of_outputs(signature, rule.at("outputs"));
      const auto add = [&](std::vector<OperandType> inputs, int needed) {
        Combination combination{std::move(inputs), outputs, needed};
        raise_to_types(combination);
        result.insert(combination);
      };
      if (operation.at("name") == "CONCATENATION" || operation.at("name") == "PACK") {
        const bool axis_first = operation.at("name") == "PACK";
        const auto type = test::operand_type_named(rule.at("inputs").at(axis_first ? "1..N" : "0..n-1").get<std::string>());
        for (const size_t repeat : kRepeats) {
          std::vector<OperandType> inputs(repeat, type);
          inputs.insert(axis_first ? inputs.begin() : inputs.end(), OperandType::kInt32);
          add(inputs, level);
        }
        continue;
      }
      std::vector<size_t> counts;
      if (signature.contains("input_counts")) counts = signature.at("input_counts").get<std::vector<size_t>>();
      if (counts.empty()) counts = {rule.at("inputs").size()};
      for (const size_t count : counts) {
        int needed = level;
        for (size_t i = 0; i < count; ++i) needed = std::max(needed, signature.at("inputs").at(i).at("since").get<int>());
        add(types_of_inputs(signature, rule, count), needed);
      }
    }
  }
  return result;
}

// Only the lowest level of each combination counts: a rule that repeats it at a higher level changes nothing.
std::set<Combination> lowest_levels(const std::set<Combination>& all) {
  std::set<Combination> result;
  for (const Combination& combination : all) {
    const bool lower = std::any_of(all.begin(), all.end(), [&](const Combination& other) {
      return other.inputs == combination.inputs && other.outputs == combination.outputs && other.level < combination.level;
    });
    if (!lower) result.insert(combination);
  }
  return result;
}

// Compares an operation with its row. Returns its code.
OperationCode expect_same_row(const json& operation) {
  const auto name = operation.at("name").get<std::string>();
  SCOPED_TRACE(name);
  const auto code = static_cast<OperationCode>(operation.at("code").get<int32_t>());
  EXPECT_EQ(operation_name(code), name);
  const OperationDefinition* definition = find_operation(code);
  EXPECT_NE(definition, nullptr);
  if (definition == nullptr) return code;
  EXPECT_EQ(definition->since, operation.at("since").get<int>());
  if (code == OperationCode::kIf || code == OperationCode::kWhile) return code;  // any operand types
  const auto expected = combinations_of_specification(operation);
  const auto actual = combinations_of_row(*definition);
  for (const Combination& combination : lowest_levels(expected)) {
    EXPECT_TRUE(actual.contains(combination)) << "missing: " << describe(combination);
  }
  for (const Combination& combination : lowest_levels(actual)) {
    EXPECT_TRUE(expected.contains(combination)) << "not in the specification: " << describe(combination);
  }
  return code;
}

// The site's reference of operations is made from these files.
TEST(OperationTable, TheDocumentationHasTheSameCodesLevelsAndTypes) {
  std::set<OperationCode> documented;
  for (const auto& file : std::filesystem::directory_iterator(NNVK_SOURCE_DIR "/docs/data/operations")) {
    std::ifstream stream(file.path());
    for (const json& operation : json::parse(stream)) {
      const OperationCode code = expect_same_row(operation);
      EXPECT_EQ(test::operation_family(code), file.path().stem().string()) << operation_name(code);
      EXPECT_TRUE(documented.insert(code).second) << operation_name(code) << " is in two files";
    }
  }
  EXPECT_EQ(documented.size(), static_cast<size_t>(kOperationCount));
}

class Specification : public testing::TestWithParam<const char*> {};

TEST_P(Specification, TableHasTheSameCodesLevelsAndTypes) {
  const auto path = std::filesystem::path(NNVK_SHARED_DIR) / "spec" / GetParam();
  if (!std::filesystem::exists(path)) GTEST_SKIP() << path << " is not there";
  std::ifstream stream(path);
  for (const json& operation : json::parse(stream)) expect_same_row(operation);
}

INSTANTIATE_TEST_SUITE_P(Files, Specification, testing::Values("operations_fl1_fl2.json", "operations_fl3_up.json"));

}  // namespace
}  // namespace nnvk
