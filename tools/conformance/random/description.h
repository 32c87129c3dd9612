// Models in words, for whoever looks at a case that failed.
#pragma once

#include "tools/conformance/vector_case.h"

namespace nnvk::tools::conformance {

// A line for each operation, in the order in which they were added, and one for the outputs; graphs inside of others follow.
std::string describe(const VectorCase& c);

}  // namespace nnvk::tools::conformance
