// Pictures that nnvk draws, for measurements and tests of networks that enlarge pictures.
#pragma once

#include <cstdint>

#include "tools/image/picture.h"

namespace nnvk::tools {

// Draws discs and bars on a shaded background with smooth edges (16 samples per pixel), in RGB: the same picture for the same
// seed everywhere.
Picture drawn_picture(uint32_t width, uint32_t height, uint32_t seed);

}  // namespace nnvk::tools
