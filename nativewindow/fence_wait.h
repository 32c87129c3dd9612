// Waits for fences in file descriptors.
#pragma once

namespace nnvk::nativewindow {

// Blocks until the descriptor is readable. Returns -EINVAL if it reports an error or a dead producer, if it is a kernel sync_file
// that signalled with an error, or if it is no open descriptor. Does not close the descriptor.
int wait_for_fence(int fd);

}  // namespace nnvk::nativewindow
