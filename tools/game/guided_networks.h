// The networks of the guided game, built with weights that are set by hand: one turns colour, depth and motion into the shown
// picture, and a longer one makes a soft glow of it. Both leave the size of pictures open.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "tools/nnapi/model_builder.h"

namespace nnvk::game {

// Makes the network of the shown picture. Its inputs are colour [1, h, w, 3], depth [1, h, w, 1] and motion [1, h, w, 3]. Its
// output is a picture [1, h, w, 3] from 0 to 1: changes of depth get outlines, and moving things get warm light.
tools::Result<tools::ModelBuilder> make_outline_network();

// From a picture [1, h, w, 3] to a soft one of the same size, through this many convolutions.
inline constexpr uint32_t kGlowSteps = 8;
tools::Result<tools::ModelBuilder> make_glow_network();

// Computes a network on nnvk-cpu. `dimensions` and `inputs`: of all inputs. `count`: elements of the only output.
tools::Result<std::vector<float>> compute_on_cpu(const tools::ModelBuilder& network,
                                                 std::span<const std::vector<uint32_t>> dimensions,
                                                 std::span<const std::vector<float>> inputs, size_t count);

}  // namespace nnvk::game
