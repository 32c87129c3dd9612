// Runs one conformance case on one device and judges the results.
#pragma once

#include <string>
#include <string_view>

#include "tools/conformance/compiled_case.h"
#include "tools/conformance/vector_case.h"
#include "tools/nnapi/devices.h"

namespace nnvk::tools::conformance {

enum class Verdict { kPassed, kFailed, kSkipped };

// The kind of a failure.
enum class FailureKind {
  kNone,
  kError,          // building, compiling or computing returned an error
  kWrongResult,    // other values or shapes than expected, or success where an error is expected
  kOutOfBounds,    // bytes outside an output's buffer were written
  kNotRepeatable,  // computed again, the same case gave other bytes
  kCrashed,        // the process died
  kDeviceLost,     // the device was lost while the case used it
  kTimedOut,       // no result came in time, and the process was ended
};

// Returns whether a failure of this kind leaves a process in which no other case can be judged.
bool ends_process(FailureKind kind);

struct Outcome {
  Verdict verdict = Verdict::kPassed;
  std::string message;  // why it failed; "NotSupported: CONV_2D ..." when skipped
  FailureKind kind = FailureKind::kNone;
};

struct RunOptions {
  Mode mode = Mode::kSync;
  int repeat = 1;  // computations of each case, which must give the same bytes; kReusable computes at least twice
};

// Runs a case and judges it. `evidence`, if it is given, receives the outputs of the computation that shows a failure, if there
// was one.
Outcome run_case(const VectorCase& c, const DeviceEntry& device, const RunOptions& options, CaseOutputs* evidence = nullptr);

// Returns "passed", "failed" or "skipped".
const char* verdict_name(Verdict verdict);

// Returns the kind as text: "" for kNone, else as in "out of bounds", "device lost".
const char* kind_name(FailureKind kind);
// Returns the kind that has this text; kNone for any other text.
FailureKind kind_named(std::string_view text);

}  // namespace nnvk::tools::conformance
