// Limits the resources of a plugin's process, and removes all rights beyond those of its user.
#pragma once

#include "accelerators/host/program/protections.h"
#include "core/base/result.h"

namespace nnvk::accelerators {

// Sets the limits of this process for good: memory, threads, files, descriptors, locks, signals, priorities, core dumps.
// OP_FAILED names the limit that the kernel refuses.
Status set_limits(const Protections& protections);

// Makes this process, which must have root's rights, run as user nobody. OP_FAILED if the kernel refuses. If the kernel permits
// it, the process is then alone in a user namespace, so that nobody's other processes do not count against its limits.
Status become_nobody();

// Gives up all capabilities of this process for good. OP_FAILED if it has any afterwards.
Status give_up_capabilities();

}  // namespace nnvk::accelerators
