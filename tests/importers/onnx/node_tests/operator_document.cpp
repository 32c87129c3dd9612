#include "tests/importers/onnx/node_tests/operator_document.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "importers/onnx/importer.h"
#include "importers/onnx/operator_call.h"

namespace nnvk::importers::onnx {
namespace {

std::string full_name(std::string_view domain, std::string_view name) {
  return domain.empty() ? std::string(name) : fmt::format("{}.{}", domain, name);
}

}  // namespace

void OperatorDocument::add(const StoredCase& test) {
  if (test.graph.nodes.size() != 1) return;
  test::OperatorUse& use = uses_[full_name(test.graph.nodes[0].domain, test.graph.nodes[0].op_type)];
  if (const auto model = import_graph(test.graph, {})) {
    use.add(model->builder);
    return;
  }
  const StoredCase with_parameters = with_constants(test, 1);
  const auto model = import_graph(with_parameters.graph, {});
  if (model) {
    use.add(model->builder);
  } else {
    use.add_refusal(model.error().message);
  }
}

std::string OperatorDocument::text() const {
  // No node test is of use for some operators that the importer knows: there is none, or NNAPI lacks the types of all.
  std::set<std::string> untested;
  test::OperatorUses shown = uses_;
  for (const OperatorRow& row : known_operators()) {
    const std::string name = full_name(row.domain, row.name);
    if (uses_.contains(name) && uses_.at(name).taken > 0) continue;
    untested.insert(name);
    shown.erase(name);
  }
  return fmt::format(
      "# Operators of ONNX\n\nThis table lists the operators of ONNX's own node tests (release 1.12). The importer translates "
      "each "
      "into the NNAPI\noperations that stand beside it. It takes some operators partly: for the reasons of the last column it "
      "leaves "
      "tests of them.\nAn operator that it leaves stays with ONNX Runtime. `onnx_node_tests` writes this file and compares "
      "it.\n\n{}\nThe importer also takes these operators. ONNX 1.12 has no node test of them that NNAPI could hold: {}.\n",
      test::to_markdown(shown), fmt::join(untested, ", "));
}

}  // namespace nnvk::importers::onnx
