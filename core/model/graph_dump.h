// A model as Graphviz text, for the log (docs/nnapi/log_and_trace.md#drawings-of-models).
#pragma once

#include <string_view>

namespace nnvk {

class Model;

// When the detail `model` is on. The first line is a comment with `title`; referenced models are only mentioned.
void log_graph(const Model& model, std::string_view title);

}  // namespace nnvk
