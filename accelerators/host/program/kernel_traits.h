// What this kernel lets this process do, found out by doing it in a child that ends at once.
#pragma once

#include "accelerators/host/program/protections.h"

namespace nnvk::accelerators {

// Leaves nothing behind. Takes milliseconds. To be called while this process has one thread.
KernelTraits probe_kernel();

}  // namespace nnvk::accelerators
