// Sends and receives buffers over AF_UNIX sockets. Each buffer is one message: its description, and descriptors of its memory.
#pragma once

#include <memory>

#include "nativewindow/buffer.h"

namespace nnvk::nativewindow {

// Sends a buffer. Returns -EINVAL if `socket` is no AF_UNIX socket, -EPIPE when the other end is closed, -EPERM when the buffer's
// memory could shrink (NNVK_FRAME_TRUST_SIZE), or the error of the system.
int send_buffer(int socket, const Buffer& buffer);

// Receives a buffer without trusting the peer: closes every received descriptor unless it is memory of a valid buffer (else
// -EINVAL). Returns -EPIPE when the other end is closed, or the error of the system.
int receive_buffer(int socket, std::shared_ptr<Buffer>& buffer);

}  // namespace nnvk::nativewindow
