// Decides which files may be shared memory of two processes; both ends use it.
#pragma once

#include "accelerators/driver_model.h"
#include "core/base/file_descriptor.h"
#include "core/base/result.h"

namespace nnvk::accelerators {

// BAD_DATA unless the file is a dma-buf, or a memfd that is sealed against shrinking, and the region lies inside it and starts on
// a page. (A process that maps memory which shrinks dies at the next access.)
Status check_shared_file(const SharedMemory& memory);

// Opens the same memory again: a receiver with read access can only read it, and cannot change the client's file position and
// flags. No descriptor if the system does not permit it.
FileDescriptor open_again(const SharedMemory& memory);

}  // namespace nnvk::accelerators
