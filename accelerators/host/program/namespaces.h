// Namespaces of the process: of its own, so that others' processes, sockets and mounts have no name in it.
#pragma once

#include "accelerators/host/program/protections.h"
#include "core/base/result.h"

namespace nnvk::accelerators {

// For the process that starts the plugin's: what it forks next is in a new namespace of processes, as its first. The caller
// stays where it is, but for a namespace of users with kAsUser. It has one thread. OP_FAILED when the kernel refuses.
Status separate_children(NamespaceWay way);

// For the plugin's process: new namespaces of mounts, network, IPC and host name. OP_FAILED when the kernel refuses.
Status separate_surroundings();

}  // namespace nnvk::accelerators
