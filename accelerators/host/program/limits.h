// Limits the resources of a plugin's process, and takes all rights beyond those of its user.
#pragma once

#include "accelerators/host/program/protections.h"
#include "core/base/result.h"

namespace nnvk::accelerators {

// Sets the limits of this process for good: memory, threads, files, descriptors, locks, signals, priorities, core dumps.
// OP_FAILED names the limit that the kernel refuses.
Status set_limits(const Protections& protections);

// Makes this process, which has the rights of root, become nobody. OP_FAILED if the kernel refuses. If the kernel can, the
// process is alone in a user namespace afterwards. Then nobody's other processes do not count against its limits.
Status become_nobody();

// Gives up all capabilities for good. OP_FAILED if it has any afterwards.
Status give_up_capabilities();

}  // namespace nnvk::accelerators
