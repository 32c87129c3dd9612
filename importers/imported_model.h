// The result of an import: a finished NNAPI model and how its inputs, outputs and operations relate to the source.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "importers/client_names.h"

namespace nnvk::importers {

// An input or output of the model, as the source declares it and as NNAPI declares it.
struct Port {
  std::string name;
  OperandInfo info;     // an INT64 tensor of the source is TENSOR_INT32 here
  bool wide = false;    // the source says INT64: widen the values at the edge
  bool scalar = false;  // the source says rank 0; NNAPI has one element of rank 1
};

struct ImportedModel {
  ModelBuilder builder;
  std::vector<Port> inputs;
  std::vector<Port> outputs;
  // For each NNAPI operation, in the order of addOperation, the operator of the source: "operator 12 (CONV_2D)".
  std::vector<std::string> operation_origins;
  std::shared_ptr<const std::vector<uint8_t>> file;  // constants point into it; null if the source is no file
};

}  // namespace nnvk::importers
