// Decides which files two processes may use as shared memory; both processes check.
#pragma once

#include "accelerators/driver_model.h"
#include "core/base/file_descriptor.h"
#include "core/base/result.h"

namespace nnvk::accelerators {

// Returns BAD_DATA unless the file is a dma-buf, or a memfd sealed against shrinking, and the region lies inside it and starts on
// a page. (If mapped memory shrinks, the process dies at its next access.)
Status check_shared_file(const SharedMemory& memory);

// Opens the same memory again: with read access, a receiver can only read it, and cannot change the client's file position and
// flags. Returns no descriptor if the system does not permit it.
FileDescriptor open_again(const SharedMemory& memory);

}  // namespace nnvk::accelerators
