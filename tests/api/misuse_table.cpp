// Runs misuse cases and compares their expectations with the specification's table if it is present.
#include "tests/api/misuse_table.h"

#include <gtest/gtest.h>

#include <fstream>
#include <map>
#include <nlohmann/json.hpp>
#include <set>
#include <string>

namespace nnvk::testing {
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

// Allowed codes per row; rows without a code (no-op, unknown, ...) are left out. Empty without the specification.
const std::map<int, std::set<int>>& specified() {
  static const std::map<int, std::set<int>> table = [] {
    std::map<int, std::set<int>> rows;
    std::ifstream file(std::string(NNVK_SHARED_DIR) + "/spec/misuse.json");
    if (!file) return rows;
    for (const auto& row : nlohmann::json::parse(file)) {
      const auto& expected = row.at("expected");
      const auto names =
          expected.is_array() ? expected.get<std::vector<std::string>>() : std::vector<std::string>{expected.get<std::string>()};
      std::set<int> allowed;
      for (const std::string& name : names) {
        const bool negated = name.rfind("not ", 0) == 0;
        const auto code = codes().find(negated ? name.substr(4) : name);
        if (code == codes().end()) continue;
        if (!negated) allowed.insert(code->second);
        for (int other = 0; negated && other < 15; ++other) {
          if (other != code->second) allowed.insert(other);
        }
      }
      if (!allowed.empty()) rows[row.at("id").get<int>()] = allowed;
    }
    return rows;
  }();
  return table;
}

}  // namespace

void check_cases(const std::vector<MisuseCase>& cases) {
  for (const MisuseCase& row : cases) {
    EXPECT_EQ(row.call(), row.expected) << "row " << row.id << ": " << row.what;
    const auto rule = specified().find(row.id);
    if (rule == specified().end()) continue;
    EXPECT_TRUE(rule->second.count(row.expected)) << "row " << row.id << " (" << row.what << ") expects another code by now";
  }
}

}  // namespace nnvk::testing
