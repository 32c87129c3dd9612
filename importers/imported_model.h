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

// A state that lives from one execution to the next (ImportOptions::keep_states). The caller gives the model an input of zeros at
// first, and later the values that the execution before has written to the output.
struct StatePort {
  int variable = 0;   // the tensor of the source
  size_t input = 0;   // a position in ImportedModel::inputs
  size_t output = 0;  // a position in ImportedModel::outputs
};

struct ImportedModel {
  std::vector<std::unique_ptr<ModelBuilder>> bodies = {};  // the models that control flow refers to; they outlive `builder`
  ModelBuilder builder;
  std::vector<Port> inputs = {};
  std::vector<Port> outputs = {};
  std::vector<StatePort> states = {};  // their ports stand behind those of the source
  // The operator of the source for each NNAPI operation, in the order of addOperation: "operator 12 (CONV_2D)".
  std::vector<std::string> operation_origins = {};
  std::shared_ptr<const std::vector<uint8_t>> file = {};  // constants point into it; null if the source is no file
  std::vector<std::shared_ptr<const void>> storage = {};  // owners of other bytes that constants point into
};

}  // namespace nnvk::importers
