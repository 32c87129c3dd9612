// One message between processes, recorded for sending it again, unchanged or altered; and memory as hostile peers make it.
#pragma once

#include <fcntl.h>
#include <gtest/gtest.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <unistd.h>

#include <cstddef>
#include <cstring>
#include <vector>

namespace nnvk::test {

// The bytes and descriptors of one message, to be sent unchanged or altered.
struct RecordedMessage {
  std::vector<std::byte> bytes;
  std::vector<int> descriptors;

  RecordedMessage() = default;
  RecordedMessage(const RecordedMessage&) = delete;
  RecordedMessage& operator=(const RecordedMessage&) = delete;
  ~RecordedMessage() { close_all(); }
  void close_all() {
    for (const int fd : descriptors) ::close(fd);
    descriptors.clear();
  }
  void replace_descriptor(int fd) {
    close_all();
    descriptors = {fd};
  }
  void record(int socket) {
    bytes.resize(4096);
    alignas(cmsghdr) char control[256];
    iovec content{bytes.data(), bytes.size()};
    msghdr header{};
    header.msg_iov = &content;
    header.msg_iovlen = 1;
    header.msg_control = control;
    header.msg_controllen = sizeof control;
    const ssize_t size = ::recvmsg(socket, &header, MSG_CMSG_CLOEXEC);
    ASSERT_GT(size, 0);
    bytes.resize(static_cast<size_t>(size));
    const cmsghdr* part = CMSG_FIRSTHDR(&header);
    ASSERT_NE(part, nullptr);
    descriptors.resize((part->cmsg_len - CMSG_LEN(0)) / sizeof(int));
    ASSERT_GE(descriptors.size(), 1U);
    std::memcpy(descriptors.data(), CMSG_DATA(part), descriptors.size() * sizeof(int));
  }
  void play(int socket) const {
    std::vector<char> control(CMSG_SPACE(descriptors.size() * sizeof(int)));
    iovec content{const_cast<std::byte*>(bytes.data()), bytes.size()};
    msghdr header{};
    header.msg_iov = &content;
    header.msg_iovlen = 1;
    if (!descriptors.empty()) {
      header.msg_control = control.data();
      header.msg_controllen = control.size();
      cmsghdr* part = CMSG_FIRSTHDR(&header);
      part->cmsg_level = SOL_SOCKET;
      part->cmsg_type = SCM_RIGHTS;
      part->cmsg_len = CMSG_LEN(descriptors.size() * sizeof(int));
      std::memcpy(CMSG_DATA(part), descriptors.data(), descriptors.size() * sizeof(int));
    }
    ASSERT_EQ(::sendmsg(socket, &header, 0), static_cast<ssize_t>(bytes.size()));
  }
};

inline int sealed_memfd(off_t size, int seals) {
  const int fd = ::memfd_create("hostile", MFD_CLOEXEC | MFD_ALLOW_SEALING);
  EXPECT_EQ(::ftruncate(fd, size), 0);
  if (seals != 0) {
    EXPECT_EQ(::fcntl(fd, F_ADD_SEALS, seals), 0);
  }
  return fd;
}

}  // namespace nnvk::test
