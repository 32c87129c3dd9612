// Expectations of generated cases: what the reference device computes.
#pragma once

#include <string>

#include "tools/conformance/vector_case.h"
#include "tools/nnapi/devices.h"

namespace nnvk::tools::conformance {

// The device `nnapi-reference`.
Result<DeviceEntry> reference_device();

// Computes `c` on the reference device and stores shapes and bytes as the expectations of its outputs. Cases that must be refused
// stay as they are. Outputs whose rank the case declares as unknown keep it unknown with `keep_open`, and are declared with the
// computed shape without. `unsupported` names an operation that the reference does not run; the case is not filled in then.
Status fill_expectations(VectorCase& c, const DeviceEntry& reference, bool keep_open, std::string& unsupported);

}  // namespace nnvk::tools::conformance
