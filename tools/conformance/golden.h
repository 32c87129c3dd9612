// Expectations of generated cases: what the reference device computes. GPUs may take denormal float32 values for zero (Vulkan
// leaves it to the driver, and NNAPI says nothing about them), so cases with such inputs have a second expectation.
#pragma once

#include <string>

#include "tools/conformance/vector_case.h"
#include "tools/nnapi/devices.h"

namespace nnvk::tools::conformance {

// The device `nnapi-reference`.
Result<DeviceEntry> reference_device();

// Computes `c` on the reference device and stores shapes and bytes as the expectations of its outputs, and once more with
// denormal float32 inputs and constants as zeros of their sign. Cases that must be refused stay as they are. Outputs whose rank
// the case declares as unknown keep it unknown with `keep_open`, and are declared with the computed shape without. `unsupported`
// names an operation that the reference does not run; the case is not filled in then.
Status fill_expectations(VectorCase& c, const DeviceEntry& reference, bool keep_open, std::string& unsupported);

}  // namespace nnvk::tools::conformance
