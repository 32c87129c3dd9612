// A model as Graphviz text, for the log (semantics 21).
#pragma once

#include <string>
#include <string_view>

namespace nnvk {

class Model;

// Lines, the first of them a comment with `title`. Referenced models are only mentioned.
std::string graph_text(const Model& model, std::string_view title);
// Logs graph_text() line by line when the detail `model` is on.
void log_graph(const Model& model, std::string_view title);

}  // namespace nnvk
