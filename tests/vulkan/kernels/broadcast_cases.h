// Pairs of shapes for the tests of operations that broadcast: every way in which operands can be walked.
#pragma once

#include <vector>

#include "core/model/operand.h"

namespace nnvk::vulkan::rig {

// Two operands and their broadcast.
struct Pair {
  Shape a;
  Shape b;
  Shape out;
};

inline const std::vector<Pair>& shape_pairs() {
  static const std::vector<Pair> pairs = {
      {{1}, {1}, {1}},
      {{2, 3, 5}, {2, 3, 5}, {2, 3, 5}},
      {{1, 7, 7, 16}, {1, 7, 7, 16}, {1, 7, 7, 16}},
      {{2, 3, 5}, {1}, {2, 3, 5}},
      {{1}, {3, 4}, {3, 4}},
      {{2, 5, 8}, {8}, {2, 5, 8}},
      {{2, 5, 7}, {7}, {2, 5, 7}},
      {{2, 1, 1, 8}, {2, 3, 3, 8}, {2, 3, 3, 8}},
      {{2, 3, 3, 1}, {2, 3, 3, 8}, {2, 3, 3, 8}},
      {{5, 1, 3, 1}, {1, 2, 1, 4}, {5, 2, 3, 4}},
      {{3, 1}, {1, 5}, {3, 5}},
  };
  return pairs;
}

}  // namespace nnvk::vulkan::rig
