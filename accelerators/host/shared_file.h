// Which files may be memory that two processes share: used by both ends.
#pragma once

#include "accelerators/driver_model.h"
#include "core/base/file_descriptor.h"
#include "core/base/result.h"

namespace nnvk::accelerators {

// BAD_DATA unless the file is a dma-buf, or a memfd that is sealed against shrinking (whoever maps memory that shrinks dies at
// the next access), and the region lies inside it and starts on a page.
Status check_shared_file(const SharedMemory& memory);

// Another open file of the same memory: whoever may only read can only read it, and its position and flags are not the client's.
// None where the system does not give one.
FileDescriptor open_again(const SharedMemory& memory);

}  // namespace nnvk::accelerators
