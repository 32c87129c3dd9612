// Puts a process into its sandbox before any code of a plugin is loaded, in the one order in which the steps are possible.
#pragma once

#include <vector>

#include "accelerators/host/program/own_root.h"
#include "accelerators/host/program/protections.h"
#include "core/base/result.h"

namespace nnvk::accelerators {

// From here on this process is confined for good: files, processes, network, memory, privileges, system calls. With namespaces it
// is the first process in one of its own (namespaces.h). It has one thread, the standard streams and its socket. OP_FAILED with
// the first step that is not possible: then nothing of the plugin may be loaded.
Status enter_sandbox(const Protections& protections, const std::vector<VisiblePath>& visible);

// Once the library is loaded: files cannot be opened any more, nor code be mapped, but for drivers of GPUs. Code that was hostile
// when it was loaded can have prevented this; what holds against it is enter_sandbox().
Status close_sandbox(const Protections& protections);

}  // namespace nnvk::accelerators
