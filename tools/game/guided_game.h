// A second game: it draws wide pictures with colour, depth and motion vectors, all of which one network reads. Its window changes
// size while it runs, and a second network is spread over several frames.
#pragma once

#include <cstdint>
#include <string>

#include "tools/nnapi/result.h"

namespace nnvk::game {

struct GuidedOptions {
  uint32_t width = 4160;  // wider than the images of many older GPUs, whose limit is 4096
  uint32_t height = 64;
  uint32_t frames = 120;
  uint32_t resize_every = 40;  // frames; 0: never
  uint32_t slice = 1000;       // predicted microseconds of the second network per frame
  bool is_validated = false;
  std::string picture = "game.png";
};

// Plays the game without a window, prints its figures, and compares frames with nnvk-cpu. Returns whether there was a Vulkan
// device (and the validation layer, if wanted). An error names the check that failed.
tools::Result<bool> play_guided(const GuidedOptions& options);

}  // namespace nnvk::game
