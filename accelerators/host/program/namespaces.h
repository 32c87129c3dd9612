// Gives the process its own namespaces, so that it cannot name others' processes, sockets and mounts.
#pragma once

#include "accelerators/host/program/protections.h"
#include "core/base/result.h"

namespace nnvk::accelerators {

// For the process that starts the plugin's: its next child is the first process of a new PID namespace. The caller keeps its own
// namespaces, but enters a user namespace with kAsUser. It must have only one thread. OP_FAILED if the kernel refuses.
Status separate_children(NamespaceWay way);

// For the plugin's process: new namespaces of mounts, network, IPC and host name. OP_FAILED if the kernel refuses.
Status separate_surroundings();

}  // namespace nnvk::accelerators
