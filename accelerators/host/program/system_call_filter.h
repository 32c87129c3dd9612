// The system calls that a plugin's code may make, with their arguments where those matter. Whatever is not let through fails with
// EPERM; nothing kills the process.
#pragma once

#include "accelerators/host/program/protections.h"
#include "core/base/result.h"

namespace nnvk::accelerators {

// What a filter depends on besides its profile.
struct FilterSurroundings {
  bool is_loading = false;         // files may be read and code mapped, and another filter be added
  bool has_own_processes = false;  // others' processes have no numbers here
};

// Puts the profile's filter on all threads of this process, for good. The process cannot gain privileges. Nothing for
// kUnconfined. OP_FAILED when the kernel or libseccomp cannot.
Status filter_system_calls(SandboxProfile profile, const FilterSurroundings& surroundings);

}  // namespace nnvk::accelerators
