// The nodes and tensors of a TfLiteContext as the importer's plain data. Constants stay where the runtime has them.
#pragma once

#include <tensorflow/lite/c/common.h>

#include <optional>
#include <span>
#include <string>
#include <vector>

#include "clients/plugin_options.h"
#include "importers/tflite/graph.h"

namespace nnvk::clients::tflite {

using importers::tflite::Graph;
using importers::tflite::Operator;
using importers::tflite::Tensor;

// Some nodes of a context as a graph. Tensors have the context's indexes.
struct LiveGraph {
  Graph graph;
  std::vector<int> nodes;                            // the context's node of each operator
  std::vector<std::optional<std::string>> refusals;  // per operator: why it must stay with the interpreter, before any dry run
  std::vector<bool> unknown;                         // per operator: whether the interpreter lacks it, and cannot run it itself
};

// Returns the indexes that an array of TensorFlow Lite holds; a null array is empty.
std::span<const int> indexes(const TfLiteIntArray* array);

// Reads a tensor with its present shape. Its constant bytes belong to the runtime. An error gives the reason why the importer
// cannot read it.
Result<Tensor> read_tensor(const TfLiteContext& context, int index);

// Reads these nodes. `context` must allow GetNodeAndRegistration, as it does while a delegate is prepared. Inputs and outputs of
// the graph stay empty. An error if the runtime gives no node.
Result<LiveGraph> read_nodes(TfLiteContext& context, std::span<const int> nodes);

}  // namespace nnvk::clients::tflite
