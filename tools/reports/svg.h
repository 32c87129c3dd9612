// Explanations as pictures, with nnvk's own layout (layout.h): no other program is needed.
#pragma once

#include <string>

#include "tools/reports/graph.h"

namespace nnvk::tools {

// Draws a box per operation, coloured by device, with its result and its time. A bar compares this time with that of the slowest
// operation. A line names each kind of operation that was merged into the box. Tooltips hold all other facts (facts_of()). A
// picture for a page (page.h) has no legend and no style of its own. For scripts: a box is an element of class "node" with the id
// "node<i>". Each edge names its ends in data-from and data-to. Both count positions in graph_of().
std::string to_svg(const Explanation& explanation, bool for_page = false);

// Returns the style of pictures, light or dark like the viewer, as CSS.
std::string svg_style();
// Returns the class that gives a device its colour.
std::string device_class(const Explanation& explanation, const std::string& device);

// Returns all known facts about a box, as lines of text: type, origin, device, times, merged operations, and why other devices
// decline.
std::vector<std::string> facts_of(const Explanation& explanation, const GraphNode& node);

}  // namespace nnvk::tools
