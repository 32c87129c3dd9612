// The attributes of a live node as the importer's plain data.
#pragma once

#include "clients/onnxruntime_provider/names.h"
#include "clients/onnxruntime_provider/runtime_api.h"

namespace nnvk::clients::onnxruntime {

// Appends the attributes of the runtime's node to `node`, and keeps the bytes of tensor attributes in graph.storage.
Status read_attributes(const OrtNode* runtime_node, Node& node, Graph& graph);

}  // namespace nnvk::clients::onnxruntime
