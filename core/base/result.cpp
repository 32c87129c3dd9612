// Names of the result codes, as they appear in logs and error texts.
#include "core/base/result.h"

namespace nnvk {

const char* code_name(Code code) {
  switch (code) {
    case Code::kNoError:
      return "NO_ERROR";
    case Code::kOutOfMemory:
      return "OUT_OF_MEMORY";
    case Code::kIncomplete:
      return "INCOMPLETE";
    case Code::kUnexpectedNull:
      return "UNEXPECTED_NULL";
    case Code::kBadData:
      return "BAD_DATA";
    case Code::kOpFailed:
      return "OP_FAILED";
    case Code::kBadState:
      return "BAD_STATE";
    case Code::kUnmappable:
      return "UNMAPPABLE";
    case Code::kOutputInsufficientSize:
      return "OUTPUT_INSUFFICIENT_SIZE";
    case Code::kUnavailableDevice:
      return "UNAVAILABLE_DEVICE";
    case Code::kMissedDeadlineTransient:
      return "MISSED_DEADLINE_TRANSIENT";
    case Code::kMissedDeadlinePersistent:
      return "MISSED_DEADLINE_PERSISTENT";
    case Code::kResourceExhaustedTransient:
      return "RESOURCE_EXHAUSTED_TRANSIENT";
    case Code::kResourceExhaustedPersistent:
      return "RESOURCE_EXHAUSTED_PERSISTENT";
    case Code::kDeadObject:
      return "DEAD_OBJECT";
  }
  return "UNKNOWN_RESULT";
}

}  // namespace nnvk
