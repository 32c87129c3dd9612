// Descriptors that cross an AF_UNIX socket with a message (SCM_RIGHTS).
#pragma once

#include <sys/socket.h>

#include <array>
#include <cstddef>
#include <cstring>
#include <span>
#include <vector>

#include "core/base/file_descriptor.h"

namespace nnvk {

// The kernel's limit of descriptors in one message. Receivers need room for that many, because the kernel installs only the
// descriptors that fit. They parse every message, because descriptors of an unparsed message would stay open for ever.
constexpr size_t kMostPassedDescriptors = 253;

// Room for a message's control data: `Count` descriptors, and `Extra` bytes for other data that the socket's owner enabled.
template <size_t Count, size_t Extra = 0>
struct alignas(cmsghdr) DescriptorRoom {
  std::array<char, CMSG_SPACE(Count * sizeof(int)) + Extra> bytes{};
};

// Attaches the descriptors to `message`; the caller still owns them. `room` must have space for them and outlive the message.
inline void pass_descriptors(msghdr& message, std::span<const int> descriptors, std::span<char> room) {
  if (descriptors.empty()) return;
  message.msg_control = room.data();
  message.msg_controllen = CMSG_SPACE(descriptors.size_bytes());
  cmsghdr* const rights = CMSG_FIRSTHDR(&message);
  rights->cmsg_level = SOL_SOCKET;
  rights->cmsg_type = SCM_RIGHTS;
  rights->cmsg_len = CMSG_LEN(descriptors.size_bytes());
  std::memcpy(CMSG_DATA(rights), descriptors.data(), descriptors.size_bytes());
}

// Appends the message's descriptors, which the caller then owns. Does not throw if there is room for kMostPassedDescriptors.
inline void take_descriptors(msghdr& message, std::vector<FileDescriptor>& descriptors) {
  for (cmsghdr* part = CMSG_FIRSTHDR(&message); part != nullptr; part = CMSG_NXTHDR(&message, part)) {
    if (part->cmsg_level != SOL_SOCKET || part->cmsg_type != SCM_RIGHTS) continue;
    const size_t count = (part->cmsg_len - CMSG_LEN(0)) / sizeof(int);
    for (size_t i = 0; i < count; ++i) {
      int fd = -1;
      std::memcpy(&fd, CMSG_DATA(part) + i * sizeof fd, sizeof fd);
      descriptors.emplace_back(fd);
    }
  }
}

}  // namespace nnvk
