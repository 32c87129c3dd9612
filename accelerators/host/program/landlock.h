// Landlock: the kernel's restriction of files, and of signals and sockets where it is new enough, which a process puts on itself.
#pragma once

#include <vector>

#include "accelerators/host/program/own_root.h"
#include "core/base/result.h"

namespace nnvk::accelerators {

// The version of the kernel's interface; 0 where it has none or it is switched off.
int landlock_version();

// From now on this thread and what it starts reaches these paths and nothing else, and no process outside. Paths that are not
// there are left out. `version`: what landlock_version() says. The process cannot gain privileges (PR_SET_NO_NEW_PRIVS).
// OP_FAILED when the kernel refuses.
Status restrict_to(const std::vector<VisiblePath>& paths, int version);

}  // namespace nnvk::accelerators
