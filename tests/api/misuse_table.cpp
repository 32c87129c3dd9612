// Runs misuse cases and compares their expectations with the specification's table if it is present. When all tests of the
// program ran, a row of that table that no test checked is a failure.
#include "tests/api/misuse_table.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <fstream>
#include <map>
#include <nlohmann/json.hpp>
#include <set>
#include <string>

namespace nnvk::test {
namespace {

const std::map<std::string, int>& codes() {
  static const std::map<std::string, int> table = {
      {"ANEURALNETWORKS_NO_ERROR", 0},
      {"ANEURALNETWORKS_OUT_OF_MEMORY", 1},
      {"ANEURALNETWORKS_INCOMPLETE", 2},
      {"ANEURALNETWORKS_UNEXPECTED_NULL", 3},
      {"ANEURALNETWORKS_BAD_DATA", 4},
      {"ANEURALNETWORKS_OP_FAILED", 5},
      {"ANEURALNETWORKS_BAD_STATE", 6},
      {"ANEURALNETWORKS_UNMAPPABLE", 7},
      {"ANEURALNETWORKS_OUTPUT_INSUFFICIENT_SIZE", 8},
      {"ANEURALNETWORKS_UNAVAILABLE_DEVICE", 9},
      {"ANEURALNETWORKS_MISSED_DEADLINE_TRANSIENT", 10},
      {"ANEURALNETWORKS_MISSED_DEADLINE_PERSISTENT", 11},
      {"ANEURALNETWORKS_RESOURCE_EXHAUSTED_TRANSIENT", 12},
      {"ANEURALNETWORKS_RESOURCE_EXHAUSTED_PERSISTENT", 13},
      {"ANEURALNETWORKS_DEAD_OBJECT", 14},
  };
  return table;
}

// The name of a result code in log lines.
std::string name_of(int code) {
  for (const auto& [name, value] : codes()) {
    if (value == code) return "(" + name.substr(sizeof "ANEURALNETWORKS_" - 1) + "): ";
  }
  return "(unknown)";
}

struct SpecifiedRow {
  std::string what;
  std::set<int> allowed;  // empty if the table names no code (no-op, value, ...)
};

// This program's rows by number, without rows about undefined behaviour. Empty without the specification.
const std::map<int, SpecifiedRow>& specified() {
  static const std::map<int, SpecifiedRow> table = [] {
    std::map<int, SpecifiedRow> rows;
    std::ifstream file(std::string(NNVK_SHARED_DIR) + "/spec/misuse.json");
    if (!file) return rows;
    for (const auto& row : nlohmann::json::parse(file)) {
      const auto& expected = row.at("expected");
      const auto names =
          expected.is_array() ? expected.get<std::vector<std::string>>() : std::vector<std::string>{expected.get<std::string>()};
      const auto function = row.at("function").get<std::string>();
      if (names.front() == "undefined" || !owns_rows_of(function)) continue;
      SpecifiedRow& entry = rows[row.at("id").get<int>()];
      entry.what = function + ": " + row.at("case").get<std::string>();
      for (const std::string& name : names) {
        const bool negated = name.rfind("not ", 0) == 0;
        const auto code = codes().find(negated ? name.substr(4) : name);
        if (code == codes().end()) continue;
        if (!negated) entry.allowed.insert(code->second);
        for (int other = 0; negated && other < 15; ++other) {
          if (other != code->second) entry.allowed.insert(other);
        }
      }
    }
    return rows;
  }();
  return table;
}

std::set<int>& visited() {
  static std::set<int> ids;
  return ids;
}

class Completeness : public ::testing::Environment {
 public:
  void TearDown() override {
    const auto& program = *::testing::UnitTest::GetInstance();
    if (program.test_to_run_count() != program.total_test_count()) return;  // filtered
    for (const auto& [id, row] : specified()) {
      EXPECT_TRUE(visited().count(id)) << "row " << id << " of the misuse table has no test: " << row.what;
    }
  }
};

// Never destroyed by us: the test framework owns it.
[[maybe_unused]] const ::testing::Environment* const completeness = ::testing::AddGlobalTestEnvironment(new Completeness);

}  // namespace

void check_cases(const std::vector<MisuseCase>& cases) {
  for (const MisuseCase& row : cases) {
    const int result = row.call();
    EXPECT_EQ(result, row.expected) << "row " << row.id << ": " << row.what;
    if (result == row.expected && result != kOk && last_refusal() != nullptr) {
      EXPECT_THAT(last_refusal(), ::testing::HasSubstr(name_of(result))) << "row " << row.id << " (" << row.what << ")";
    }
    const auto rule = specified().find(row.id);
    visited().insert(row.id);
    if (rule == specified().end() || rule->second.allowed.empty()) continue;
    EXPECT_TRUE(rule->second.allowed.count(row.expected))
        << "row " << row.id << " (" << row.what << ") expects another code by now";
  }
}

void skip_rows(std::initializer_list<int> ids) { visited().insert(ids); }

}  // namespace nnvk::test
