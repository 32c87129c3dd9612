// Explanations as a page in HTML: the picture (svg.h), and the facts about each box when it is pointed at, focused or tapped.
#pragma once

#include <string>

#include "tools/reports/explanation.h"

namespace nnvk::tools {

// Writes a page, which is one file that loads nothing. It is light or dark like the viewer. Without scripts, a click on a box
// shows its facts below the picture. `model`: the name of the model, for the title.
std::string to_page(const Explanation& explanation, const std::string& model);

}  // namespace nnvk::tools
