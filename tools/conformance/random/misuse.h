// Makes cases with an error in an operand that is no constant: in its rank, size or values, or by omitting it.
#pragma once

#include "tools/conformance/generators/decisions.h"
#include "tools/conformance/vector_case.h"

namespace nnvk::tools::conformance {

// Spoils one operand of the case and returns a description of the error. The library may then refuse the model or the execution,
// or the case may still be valid by chance. Returns "" if there is nothing to spoil.
std::string spoil(VectorCase& c, Decisions& decisions);

}  // namespace nnvk::tools::conformance
