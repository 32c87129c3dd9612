// Random models of many operations: joins rows of the generators into one graph.
#pragma once

#include <map>

#include "tools/conformance/generators/rows.h"
#include "tools/conformance/random/growing_graph.h"
#include "tools/nnapi/devices.h"

namespace nnvk::tools::conformance {

// The shapes of a row's outputs: the reference device computes them once, and this object keeps them.
class RowShapes {
 public:
  explicit RowShapes(DeviceEntry reference) : reference_(std::move(reference)) {}

  // Returns one entry per output of the row's case `c`, which may have any seed. Returns null when the reference does not compute
  // the case.
  const std::vector<Dims>* of(const Row& row, const VectorCase& c);

 private:
  DeviceEntry reference_;
  std::map<const Row*, std::optional<std::vector<Dims>>> shapes_;
};

struct GraphLimits {
  uint32_t fewest_operations = 10;
  uint32_t most_operations = 20;
  uint64_t most_bytes = 16384;  // of one row's operands
};

// Makes a model whose operands are inputs, constants, computed or omitted, wherever an operation allows it. It has branches that
// join again, declared and open shapes, and several outputs. Operations get suitable operands as far as the rules are known.
RandomGraph random_graph(Decisions& decisions, RowShapes& shapes, const GraphLimits& limits = {});

}  // namespace nnvk::tools::conformance
