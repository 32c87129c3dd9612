// Models in words, for people who examine a failed case.
#pragma once

#include "tools/conformance/vector_case.h"

namespace nnvk::tools::conformance {

// A line for each operation, in the order in which they were added, and one for the outputs; graphs inside of others follow.
std::string describe(const VectorCase& c);

}  // namespace nnvk::tools::conformance
