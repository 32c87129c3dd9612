// Gives a process its own namespaces, so that it cannot name processes, sockets and mounts of others.
#pragma once

#include "accelerators/host/program/protections.h"
#include "core/base/result.h"

namespace nnvk::accelerators {

// Lets the next child of this process become the first process of a new PID namespace. The process that starts the plugin's
// process calls it and must have one thread. It keeps its namespaces, but enters a user namespace with kAsUser. OP_FAILED if the
// kernel refuses.
Status separate_children(NamespaceWay way);

// Gives the plugin's process new namespaces of mounts, network, IPC and host name. OP_FAILED if the kernel refuses.
Status separate_surroundings();

}  // namespace nnvk::accelerators
