// A model as Graphviz text, for the log (docs/nnapi/log_and_trace.md#drawings-of-models).
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace nnvk {

class Model;

// Returns the lines of the drawing. The first is a comment with `title`. Referenced models are mentioned, but not drawn.
std::vector<std::string> graph_lines(const Model& model, std::string_view title);
// Logs graph_lines() when the detail `model` is on.
void log_graph(const Model& model, std::string_view title);

}  // namespace nnvk
