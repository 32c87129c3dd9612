// Explanations as graphs in Graphviz's language.
#pragma once

#include <string>

#include "tools/reports/explanation.h"

namespace nnvk::tools {

// Draws a box per operation, coloured by device, with its times if they are known; an ellipse per input and output. A dashed
// frame surrounds an operation and those that were merged into it, whose own boxes are dashed. If there are several partitions,
// frames surround their operations.
std::string to_dot(const Explanation& explanation);

}  // namespace nnvk::tools
