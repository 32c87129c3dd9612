// Random models of many operations: rows of the generators joined into one graph.
#pragma once

#include <map>

#include "tools/conformance/generators/rows.h"
#include "tools/conformance/random/growing_graph.h"
#include "tools/nnapi/devices.h"

namespace nnvk::tools::conformance {

// The shapes of a row's outputs, computed by the reference device and kept.
class RowShapes {
 public:
  explicit RowShapes(DeviceEntry reference) : reference_(std::move(reference)) {}

  // One entry per output. Null when the reference does not compute the case, which is the row's for any seed.
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

// A model whose operands are inputs, constants, computed or omitted, wherever an operation allows it. It has branches that join
// again, declared and open shapes, and several outputs. Every operation gets suitable operands, as far as the rules are known.
RandomGraph random_graph(Decisions& decisions, RowShapes& shapes, const GraphLimits& limits = {});

}  // namespace nnvk::tools::conformance
