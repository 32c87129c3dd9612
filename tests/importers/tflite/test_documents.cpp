// docs/tflite_operators.md lists every built-in operator with the NNAPI operations that the importer makes of it.
#include <gtest/gtest.h>

#include "importers/tflite/importer.h"
#include "importers/tflite/operator_names.h"
#include "tests/importers/operator_use.h"
#include "tests/importers/tflite/control_flow_models.h"
#include "tests/importers/tflite/operator_case.h"

namespace nnvk::test {
namespace {

using importers::tflite::builtin_operator_name;

void add_case(OperatorUses& uses, format::BuiltinOperator code, const std::vector<uint8_t>& file) {
  const auto graph = importers::tflite::read_graph(file);
  ASSERT_TRUE(graph) << graph.error().message;
  const auto model = importers::tflite::import_graph(*graph);
  ASSERT_TRUE(model) << model.error().message;
  uses[builtin_operator_name(code)].add(model->builder);
}

// The importer's reason against an operator that it does not know.
std::string reason_against(format::BuiltinOperator code) {
  const OperatorCase unknown{"", code, {real({1}, {0})}, {real({1}, {0})}};
  const auto graph = importers::tflite::read_graph(file_of(unknown));
  if (!graph) return graph.error().message;
  const auto refused = importers::tflite::refusals(*graph);
  if (!refused) return refused.error().message;
  return (*refused)[0].value_or("");
}

TEST(TfliteDocuments, TheTableOfOperatorsIsCurrent) {
  OperatorUses uses;
  for (const OperatorCase& one : operator_cases()) add_case(uses, one.code, file_of(one));
  add_case(uses, format::BuiltinOperator_IF, choice());
  add_case(uses, format::BuiltinOperator_WHILE, loop());
  for (int32_t code = 0;; ++code) {
    const std::string name = builtin_operator_name(code);
    if (name.starts_with("operator ")) break;  // the number of no operator
    // Marks of the format, which no model contains as operators.
    if (name == "CUSTOM" || name == "DELEGATE" || name == "PLACEHOLDER_FOR_GREATER_OP_CODES" || uses.contains(name)) continue;
    const std::string reason = reason_against(static_cast<format::BuiltinOperator>(code));
    EXPECT_NE(reason, "") << name << " has no case";
    uses[name].add_refusal(reason);
  }
  const std::string text =
      "# Operators of TensorFlow Lite\n\nThe importer translates each operator into the NNAPI operations that this table lists. "
      "The "
      "importer's own tests\nhave given it these models. An operator that it does not take stays with TensorFlow Lite. A test of "
      "the "
      "importer\n(`test_importers_tflite`) writes this file and compares it.\n\n" +
      to_markdown(uses);
  EXPECT_EQ(compare_document(std::filesystem::path(NNVK_SOURCE_DIR) / "docs/tflite_operators.md", text), "");
}

}  // namespace
}  // namespace nnvk::test
