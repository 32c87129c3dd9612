// Describes models in words, for people who examine a failed case.
#pragma once

#include "tools/conformance/vector_case.h"

namespace nnvk::tools::conformance {

// Describes a case. The text has a line for each operation, in the order of their addition, such as "%7 FLOAT32 [1,?,3] = RELU(%4
// input FLOAT32 [1,2,3])". Then a line for the outputs and the graphs inside other graphs follow.
std::string describe(const VectorCase& c);

}  // namespace nnvk::tools::conformance
