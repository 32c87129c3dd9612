// Passes descriptors to other processes, in tests.
#pragma once

#include <sys/socket.h>

#include <array>
#include <cstddef>
#include <cstring>

namespace nnvk::test {

namespace detail {

// A message of one byte with room for one descriptor.
struct DescriptorMessage {
  char byte = 'x';
  iovec bytes{&byte, 1};
  alignas(cmsghdr) std::array<char, CMSG_SPACE(sizeof(int))> control{};
  msghdr header{};
  DescriptorMessage() {
    header.msg_iov = &bytes;
    header.msg_iovlen = 1;
    header.msg_control = control.data();
    header.msg_controllen = control.size();
  }
};

}  // namespace detail

// Over a Unix socket. False when it failed.
inline bool send_descriptor(int socket, int fd) {
  detail::DescriptorMessage message;
  cmsghdr* control = CMSG_FIRSTHDR(&message.header);
  *control = {CMSG_LEN(sizeof fd), SOL_SOCKET, SCM_RIGHTS};
  std::memcpy(CMSG_DATA(control), &fd, sizeof fd);
  return ::sendmsg(socket, &message.header, 0) == 1;
}

// Waits for a descriptor. -1 if none arrives.
inline int receive_descriptor(int socket) {
  detail::DescriptorMessage message;
  if (::recvmsg(socket, &message.header, MSG_CMSG_CLOEXEC) != 1) return -1;
  const cmsghdr* control = CMSG_FIRSTHDR(&message.header);
  if (control == nullptr) return -1;
  int fd = -1;
  std::memcpy(&fd, CMSG_DATA(control), sizeof fd);
  return fd;
}

}  // namespace nnvk::test
