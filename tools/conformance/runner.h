// Builds, compiles and computes one conformance vector on one device and judges the result.
#pragma once

#include <string>

#include "tools/conformance/vector_case.h"
#include "tools/nnapi/devices.h"

namespace nnvk::tools::conformance {

enum class Verdict { kPassed, kFailed, kSkipped };

struct Outcome {
  Verdict verdict = Verdict::kPassed;
  std::string message;  // why it failed; "NotSupported: CONV_2D ..." when skipped
};

// How executions are started. kReusable computes the same execution twice and checks both results.
enum class Mode { kSync, kAsync, kBurst, kFenced, kReusable };

Outcome run_case(const VectorCase& c, const DeviceEntry& device, Mode mode);

}  // namespace nnvk::tools::conformance
