// Waiting for fences that come as file descriptors.
#pragma once

namespace nnvk::nativewindow {

// Blocks until the descriptor is readable. -EINVAL when it reports an error or a producer that died instead, when it is a kernel
// sync_file that signalled with an error, or when it is no open descriptor. Does not close it.
int wait_for_fence(int fd);

}  // namespace nnvk::nativewindow
