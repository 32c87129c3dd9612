// Puts a process into its sandbox before it loads code of a plugin, in the only possible order of steps.
#pragma once

#include <vector>

#include "accelerators/host/program/own_root.h"
#include "accelerators/host/program/protections.h"
#include "core/base/result.h"

namespace nnvk::accelerators {

// Confines this process for good: files, processes, network, memory, privileges, system calls. With namespaces it is the first
// process in its own (namespaces.h). Before the call, the process has one thread and no descriptors but the standard streams and
// its socket. OP_FAILED with the first impossible step: then nothing of the plugin may be loaded.
Status enter_sandbox(const Protections& protections, const std::vector<VisiblePath>& visible);

// Call it once the library is loaded. The process can then no longer open files or map code, except GPU drivers. Code that was
// hostile when it was loaded can have prevented this; only enter_sandbox() protects against it.
Status close_sandbox(const Protections& protections);

}  // namespace nnvk::accelerators
