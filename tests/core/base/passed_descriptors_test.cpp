// Descriptors that cross a socket.
#include "core/base/passed_descriptors.h"

#include <gtest/gtest.h>
#include <sys/stat.h>

namespace nnvk {
namespace {

struct Ends {
  Ends() {
    std::array<int, 2> fds{};
    EXPECT_EQ(::socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, fds.data()), 0);
    sender = FileDescriptor(fds[0]);
    receiver = FileDescriptor(fds[1]);
  }
  FileDescriptor sender, receiver;
};

bool send_with(const Ends& ends, std::span<const int> descriptors) {
  char byte = 'x';
  iovec content{&byte, 1};
  msghdr message{};
  message.msg_iov = &content;
  message.msg_iovlen = 1;
  DescriptorRoom<kMostPassedDescriptors> room;
  pass_descriptors(message, descriptors, room.bytes);
  return ::sendmsg(ends.sender.get(), &message, MSG_NOSIGNAL) == 1;
}

std::vector<FileDescriptor> receive(const Ends& ends) {
  char byte = 0;
  iovec content{&byte, 1};
  msghdr message{};
  message.msg_iov = &content;
  message.msg_iovlen = 1;
  DescriptorRoom<kMostPassedDescriptors> room;
  message.msg_control = room.bytes.data();
  message.msg_controllen = room.bytes.size();
  EXPECT_EQ(::recvmsg(ends.receiver.get(), &message, MSG_CMSG_CLOEXEC), 1);
  std::vector<FileDescriptor> descriptors;
  take_descriptors(message, descriptors);
  return descriptors;
}

ino_t inode_of(int fd) {
  struct stat facts {};
  EXPECT_EQ(::fstat(fd, &facts), 0);
  return facts.st_ino;
}

TEST(PassedDescriptors, AMessageWithoutAnyBringsNone) {
  const Ends ends;
  ASSERT_TRUE(send_with(ends, {}));
  EXPECT_TRUE(receive(ends).empty());
}

TEST(PassedDescriptors, TheyArriveInTheirOrderAsDescriptorsOfTheirOwn) {
  const Ends ends;
  const Ends passed;
  const std::array<int, 2> sent{passed.sender.get(), passed.receiver.get()};
  ASSERT_TRUE(send_with(ends, sent));
  const auto arrived = receive(ends);
  ASSERT_EQ(arrived.size(), 2U);
  for (size_t i = 0; i < 2; ++i) {
    EXPECT_NE(arrived[i].get(), sent[i]);
    EXPECT_EQ(inode_of(arrived[i].get()), inode_of(sent[i]));
    EXPECT_EQ(::fcntl(arrived[i].get(), F_GETFD), FD_CLOEXEC);
  }
}

TEST(PassedDescriptors, AsManyAsTheKernelPassesAllArrive) {
  const Ends ends;
  const std::vector<int> same(kMostPassedDescriptors, ends.sender.get());
  ASSERT_TRUE(send_with(ends, same));
  EXPECT_EQ(receive(ends).size(), kMostPassedDescriptors);
#ifndef NNVK_EMULATOR  // it passes only the first descriptor and reports success for all
  const std::vector<int> more(kMostPassedDescriptors + 1, ends.sender.get());
  DescriptorRoom<kMostPassedDescriptors + 1> room;
  msghdr message{};
  pass_descriptors(message, more, room.bytes);
  EXPECT_LT(::sendmsg(ends.sender.get(), &message, MSG_NOSIGNAL), 0) << "the limit is the kernel's";
#endif
}

}  // namespace
}  // namespace nnvk
