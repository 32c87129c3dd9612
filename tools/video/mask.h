// Which output of a network tells people and things from the background, and how its values are meant.
#pragma once

#include <string>

#include "tools/answers/interpretation.h"
#include "tools/video/background.h"
#include "tools/video/network.h"

namespace nnvk::tools::video {

struct MaskOutput {
  size_t index = 0;
  answers::Family family = answers::Family::kForeground;
  PictureShape shape;
};

// Returns the first output that is a mask; empty if there is none.
std::optional<MaskOutput> mask_output_of(const answers::ModelFacts& facts);

// Returns how much of each pixel is foreground: the network's own fraction, or all where the class is not the background (0).
AlphaMask alpha_of(const MaskOutput& output, const Network& network, const Slot& results);

}  // namespace nnvk::tools::video
