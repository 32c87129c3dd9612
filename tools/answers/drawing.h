// Draws answers onto the picture that the model saw. Pure.
#pragma once

#include <span>

#include "tools/answers/answer.h"

namespace nnvk::tools::answers {

// Returns whether an answer can be drawn: all can but plain tensors.
bool is_drawable(const Answer& answer);

// Draws boxes, points, coloured areas with a legend, and classes as text on a copy of `picture`. An answer that is a picture
// itself takes the place of `picture`. Small pictures are enlarged. On a transparent picture of four channels, only what is drawn
// is opaque.
Picture drawn(const Picture& picture, std::span<const Answer> answers);

}  // namespace nnvk::tools::answers
