// Files of models with IF and WHILE.
#pragma once

#include "tests/importers/tflite/operator_case.h"

namespace nnvk::test {

// A tensor of one real number.
FileTensor one(float value);

// If the mask holds, x + 1, else x itself. The arguments are the numbers of the subgraphs.
std::vector<uint8_t> choice(int then_graph = 1, int else_graph = 2);

// While i < n: i += 1, x *= 2; n stays. `endless`: the body contains the loop itself.
std::vector<uint8_t> loop(bool endless = false);

}  // namespace nnvk::test
