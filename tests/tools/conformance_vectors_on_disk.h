// Small vector files that a test writes.
#pragma once

#include <fstream>
#include <string>
#include <vector>

#include "tests/support/temporary_folder.h"

namespace nnvk::test {

// A vector file with one case per element: RELU of 1, whose expectation is right or wrong. Its name and its cases' plain names
// begin with "relu".
inline std::string relu_vectors(const TemporaryFolder& folder, const std::vector<bool>& right) {
  const auto path = folder.file("relu.jsonl");  // cases have the name of their file
  std::ofstream stream(path);
  for (size_t i = 0; i < right.size(); ++i) {
    stream << R"({"name":"relu_)" << i << R"(","spec":"x/relu","main":{"operands":[)"
           << R"({"type":"TENSOR_FLOAT32","dims":[1],"scale":0,"zero_point":0,"lifetime":"SUBGRAPH_INPUT","data":"AACAPw=="},)"
           << R"({"type":"TENSOR_FLOAT32","dims":[1],"scale":0,"zero_point":0,"lifetime":"SUBGRAPH_OUTPUT","data":")"
           << (right[i] ? "AACAPw==" : "AAAAQA==") << R"("}],"operations":[{"type":"RELU","inputs":[0],"outputs":[1]}],)"
           << R"("inputs":[0],"outputs":[1]},"referenced":[]})"
           << "\n";
  }
  return path;
}

}  // namespace nnvk::test
