// Expectations of generated cases: the results of the reference device. GPUs may treat denormal float32 values as zero (Vulkan
// leaves it to the driver, and NNAPI does not mention them), so cases with such inputs have a second expectation.
#pragma once

#include <string>

#include "tools/conformance/vector_case.h"
#include "tools/nnapi/devices.h"

namespace nnvk::tools::conformance {

// Returns the device `nnapi-reference`.
Result<DeviceEntry> reference_device();

// Computes `c` on the reference device; the resulting shapes and bytes become the expectations of its outputs. Computes it again
// with denormal float32 inputs and constants as zeros of their sign. Cases that must be refused stay unchanged. An output of
// unknown rank keeps it with `keep_open`; otherwise it gets the computed shape. If the reference does not run an operation,
// `unsupported` names the operation, and the case gets no expectations.
Status fill_expectations(VectorCase& c, const DeviceEntry& reference, bool keep_open, std::string& unsupported);

}  // namespace nnvk::tools::conformance
