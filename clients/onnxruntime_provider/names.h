// The names of the importers and of tools/nnapi that the provider uses.
#pragma once

#include "importers/client_names.h"
#include "importers/onnx/graph.h"

namespace nnvk::clients::onnxruntime {

using importers::Error;
using importers::fail;
using importers::OperandInfo;
using importers::Result;
using importers::Status;
using importers::onnx::Graph;
using importers::onnx::Node;
using importers::onnx::Value;

using Dimensions = std::vector<int64_t>;  // as ONNX Runtime gives them; -1: unknown

}  // namespace nnvk::clients::onnxruntime
