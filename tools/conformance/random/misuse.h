// Cases with something wrong in an operand that is no constant: its rank, its size, its values, or it is not given at all.
#pragma once

#include "tools/conformance/generators/decisions.h"
#include "tools/conformance/vector_case.h"

namespace nnvk::tools::conformance {

// Spoils one operand of the case and returns in words what is wrong with it. The model itself may then be refused, or what the
// execution is given; it may also turn out to be right after all. "" when the case has nothing to spoil.
std::string spoil(VectorCase& c, Decisions& decisions);

}  // namespace nnvk::tools::conformance
