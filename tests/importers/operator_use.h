// Tables of operators for docs/: the NNAPI operations that an importer made of each operator, and its reasons against others.
#pragma once

#include <filesystem>
#include <map>
#include <set>
#include <string>

#include "tools/nnapi/model_builder.h"

namespace nnvk::test {

// The models of one operator that an importer was given.
struct OperatorUse {
  size_t taken = 0;
  size_t left = 0;
  std::set<std::string> operations = {};  // names of NNAPI operations; none if the importer computed the result itself
  std::set<std::string> reasons = {};

  void add(const tools::ModelBuilder& model);
  // `reason`: the importer's message. The place that it begins with, names of tensors and their shapes are left out.
  void add_refusal(const std::string& reason);
};

using OperatorUses = std::map<std::string, OperatorUse>;

// A row for each operator: whether the importer takes it, and the operations or reasons.
std::string to_markdown(const OperatorUses& uses);

// Says how to mend the file if it does not hold `text`; "" if it does. With NNVK_WRITE_DOCUMENTS in the environment it writes the
// file instead.
std::string compare_document(const std::filesystem::path& file, const std::string& text);

}  // namespace nnvk::test
