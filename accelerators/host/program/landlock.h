// Landlock lets a process restrict its own access to files; newer kernels also restrict signals and sockets.
#pragma once

#include <vector>

#include "accelerators/host/program/own_root.h"
#include "core/base/result.h"

namespace nnvk::accelerators {

// Returns the version of the kernel's Landlock interface; 0 if it is missing or switched off.
int landlock_version();

// Confines this thread, and the threads and processes that it starts from now on: they can access only these paths, and no other
// processes. Skips missing paths. `version`: from landlock_version(). Set PR_SET_NO_NEW_PRIVS before. OP_FAILED if the kernel
// refuses.
Status restrict_to(const std::vector<VisiblePath>& paths, int version);

}  // namespace nnvk::accelerators
