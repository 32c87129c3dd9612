// What the process of a plugin may use at most, and that it has no rights beyond those of its user.
#pragma once

#include "accelerators/host/program/protections.h"
#include "core/base/result.h"

namespace nnvk::accelerators {

// Sets the limits of this process for good: memory, threads, files, descriptors, locks, signals, priorities, core dumps.
// OP_FAILED names the limit that the kernel refuses.
Status set_limits(const Protections& protections);

// Becomes nobody where the protections say so. The process has the rights of root. Where the kernel can, it is alone in a
// namespace of users afterwards, so that nobody's other processes do not count against its limits. OP_FAILED when it stays what
// it was.
Status become_nobody();

// Gives up all capabilities for good. OP_FAILED when it has any afterwards.
Status give_up_capabilities();

}  // namespace nnvk::accelerators
