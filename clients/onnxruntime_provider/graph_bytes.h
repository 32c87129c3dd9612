// A graph with its constants as bytes, for the nodes of an EPContext model. Pure.
#pragma once

#include <memory>
#include <string>
#include <string_view>

#include "clients/onnxruntime_provider/names.h"

namespace nnvk::clients::onnxruntime {

std::string to_bytes(const Graph& graph);

// Reads bytes that to_bytes() has written. The graph keeps `bytes`, which its constants point into. Damaged bytes, or those of
// another version, are an error. The function takes memory in proportion to the bytes.
Result<Graph> graph_from(std::shared_ptr<const std::string> bytes);

}  // namespace nnvk::clients::onnxruntime
