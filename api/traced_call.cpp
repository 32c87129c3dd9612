// Names the sections of entry points.
#include "api/traced_call.h"

#include "api/trace_phases.h"

namespace nnvk::api {

bool begin_call(const char* function) {
  const std::string_view prefix = trace_prefix(function);
  return !prefix.empty() && trace::begin(prefix, function);
}

}  // namespace nnvk::api
