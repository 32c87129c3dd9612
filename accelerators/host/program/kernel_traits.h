// Finds out which features of the kernel this process may use, by trying them in a child process.
#pragma once

#include "accelerators/host/program/protections.h"

namespace nnvk::accelerators {

// Tries which features the kernel has, in some milliseconds, and leaves nothing behind. Call it while this process has only one
// thread.
KernelTraits probe_kernel();

}  // namespace nnvk::accelerators
