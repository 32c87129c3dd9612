// Buffers over AF_UNIX sockets. One message per buffer: what it is, and the descriptors of its memory.
#pragma once

#include <memory>

#include "nativewindow/buffer.h"

namespace nnvk::nativewindow {

// -EINVAL when `socket` is no AF_UNIX socket, -EPIPE when the other end is closed, -EPERM when the buffer's memory could shrink
// (NNVK_FRAME_TRUST_SIZE), or the error of the system.
int send_buffer(int socket, const Buffer& buffer);

// The peer is not trusted: every descriptor that arrives is closed unless it is the memory of a valid buffer (else -EINVAL).
// -EPIPE when the other end is closed, or the error of the system.
int receive_buffer(int socket, std::shared_ptr<Buffer>& buffer);

}  // namespace nnvk::nativewindow
