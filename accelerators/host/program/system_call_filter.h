// The system calls that a plugin's code may make, with conditions on their arguments. All other calls fail with EPERM; none kills
// the process.
#pragma once

#include "accelerators/host/program/protections.h"
#include "core/base/result.h"

namespace nnvk::accelerators {

// The circumstances that a filter depends on besides the profile.
struct FilterSurroundings {
  bool is_loading = false;         // it may read files, map code, and add another filter
  bool has_own_processes = false;  // others' processes have no numbers in its PID namespace
};

// Applies the profile's filter to all threads of this process, for good. Set PR_SET_NO_NEW_PRIVS before. Does nothing for
// kUnconfined. OP_FAILED if the kernel or libseccomp fails.
Status filter_system_calls(SandboxProfile profile, const FilterSurroundings& surroundings);

}  // namespace nnvk::accelerators
