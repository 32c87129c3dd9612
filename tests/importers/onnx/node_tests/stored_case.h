// One of ONNX's node tests, as node_tests/export.py writes it: a model, inputs, expected outputs, tolerances.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "importers/onnx/files/onnx_file.h"

namespace nnvk::importers::onnx {

// A tensor, as ONNX's test data has one per file.
struct StoredTensor {
  Value value;
  std::shared_ptr<const void> owner;
};

struct StoredCase {
  std::string name;
  Graph graph;
  std::vector<StoredTensor> inputs;   // as graph.inputs
  std::vector<StoredTensor> outputs;  // as graph.outputs; empty if the test has texts, sequences or optional values
  double relative = 0;
  double absolute = 0;
};

Result<StoredCase> read_case(const std::filesystem::path& folder);

// The case with some inputs made constants: what a converter would have stored in the model. `first`: the first that becomes one.
StoredCase with_constants(const StoredCase& given, size_t first);

// Bytes for a port of the imported model: 64-bit integers in 32 bits. Fails if one does not fit.
Result<std::vector<uint8_t>> port_bytes(const Value& value);

// Says how `actual` differs from the expected value, in the type of the port; "" if it agrees. `steps`: how far 8-bit integers
// may be off.
std::string difference(const Value& expected, std::span<const uint8_t> actual, const StoredCase& of, int steps);

}  // namespace nnvk::importers::onnx
