// The system calls that a plugin's code may make, with their arguments if those matter. All others fail with EPERM; nothing kills
// the process.
#pragma once

#include "accelerators/host/program/protections.h"
#include "core/base/result.h"

namespace nnvk::accelerators {

// The state, besides the profile, that a filter depends on.
struct FilterSurroundings {
  bool is_loading = false;         // it may read files, map code, and add another filter
  bool has_own_processes = false;  // others' processes have no numbers in its PID namespace
};

// Applies the profile's filter to all threads of this process, for good. Set PR_SET_NO_NEW_PRIVS before. Does nothing for
// kUnconfined. OP_FAILED if the kernel or libseccomp fails.
Status filter_system_calls(SandboxProfile profile, const FilterSurroundings& surroundings);

}  // namespace nnvk::accelerators
