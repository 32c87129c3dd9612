// Puts a process into its sandbox before it loads code of a plugin, in the only possible order of steps.
#pragma once

#include <vector>

#include "accelerators/host/program/own_root.h"
#include "accelerators/host/program/protections.h"
#include "core/base/result.h"

namespace nnvk::accelerators {

// Confines this process for good: files, processes, network, memory, privileges, system calls. With namespaces, the process is
// the first one in its own (namespaces.h). Before the call it must have one thread, and no descriptors but the standard streams
// and its socket. OP_FAILED with the first step that failed: then load nothing of the plugin.
Status enter_sandbox(const Protections& protections, const std::vector<VisiblePath>& visible);

// Takes away the rights that only loading needs: except for GPU drivers, the process can no longer open files or map code. Call
// it once the library is loaded. Hostile code may have prevented this while it was loaded; only enter_sandbox() protects against
// such code.
Status close_sandbox(const Protections& protections);

}  // namespace nnvk::accelerators
