// Finds out which features of the kernel this process may use. A child tries them and ends at once.
#pragma once

#include "accelerators/host/program/protections.h"

namespace nnvk::accelerators {

// Leaves nothing behind. Takes milliseconds. Call it while this process has one thread.
KernelTraits probe_kernel();

}  // namespace nnvk::accelerators
