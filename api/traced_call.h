// The section of an entry point in the trace.
#pragma once

#include "core/base/trace.h"

namespace nnvk::api {

// Begins the section of an entry point; false when it has none or nothing is traced.
bool begin_call(const char* function);

// The section of the entry point `function`, as long as it lives.
inline trace::Section traced_call(const char* function) {
  return trace::Section::ending(trace::may_be_on() && begin_call(function));
}

}  // namespace nnvk::api
