// docs/onnx_operators.md: how the importer treats each operator in ONNX's own node tests.
#pragma once

#include "tests/importers/onnx/node_tests/stored_case.h"
#include "tests/importers/operator_use.h"

namespace nnvk::importers::onnx {

class OperatorDocument {
 public:
  // Adds a test of one operator, with all inputs but the first as constants if the importer takes it only so. Tests of several
  // operators are left out.
  void add(const StoredCase& test);
  std::string text() const;

 private:
  test::OperatorUses uses_;
};

}  // namespace nnvk::importers::onnx
