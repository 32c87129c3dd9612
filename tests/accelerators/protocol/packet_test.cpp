// Packets over a socket: whole messages with their descriptors, or an error and nothing left open.
#include <fcntl.h>
#include <gtest/gtest.h>
#include <sys/mman.h>
#include <sys/socket.h>

#include <array>
#include <cstring>
#include <string_view>
#include <thread>

#include "accelerators/protocol/packet_socket.h"
#include "tests/support/process_usage.h"

namespace nnvk::accelerators {
namespace {

using Blocking = PacketSocket::Blocking;

class Packets : public ::testing::Test {
 protected:
  Packets() {
    auto ends = PacketSocket::pair();
    here_ = std::move(ends->first);
    there_ = std::move(ends->second);
  }
  // Bytes as a foreign sender would send them.
  void send_raw(std::span<const std::byte> bytes, const std::vector<int>& descriptors = {}) {
    iovec part{const_cast<std::byte*>(bytes.data()), bytes.size()};
    alignas(cmsghdr) std::array<char, CMSG_SPACE(253 * sizeof(int))> control{};
    msghdr message{};
    message.msg_iov = &part;
    message.msg_iovlen = 1;
    if (!descriptors.empty()) {
      message.msg_control = control.data();
      message.msg_controllen = CMSG_SPACE(descriptors.size() * sizeof(int));
      cmsghdr* const rights = CMSG_FIRSTHDR(&message);
      *rights = {CMSG_LEN(descriptors.size() * sizeof(int)), SOL_SOCKET, SCM_RIGHTS};
      std::memcpy(CMSG_DATA(rights), descriptors.data(), descriptors.size() * sizeof(int));
    }
    ASSERT_EQ(::sendmsg(here_.descriptor(), &message, 0), static_cast<ssize_t>(bytes.size()));
  }
  void send_raw(const PacketHeader& header, size_t body_bytes, const std::vector<int>& descriptors = {}) {
    std::vector<std::byte> bytes(sizeof header + body_bytes);
    std::memcpy(bytes.data(), &header, sizeof header);
    send_raw(bytes, descriptors);
  }
  void expect_refused() {
    const auto received = there_.receive(packet_, Blocking::kYes);
    ASSERT_FALSE(received);
    EXPECT_EQ(received.error().code, Code::kDeadObject);
    EXPECT_TRUE(packet_.descriptors.empty());
  }

  PacketSocket here_;
  PacketSocket there_;
  Packet packet_;
};

TEST_F(Packets, ArriveWholeAndInOrder) {
  for (const size_t size : {size_t{0}, size_t{1}, kMostInlineBytes, kMostInlineBytes + 1, size_t{5} << 20}) {
    std::vector<std::byte> body(size, std::byte{3});
    if (size > 0) body.back() = std::byte{4};
    ASSERT_TRUE(*here_.send(body, {}, Blocking::kYes));
    ASSERT_TRUE(*there_.receive(packet_, Blocking::kYes));
    EXPECT_EQ(packet_.body, body);
    EXPECT_TRUE(packet_.descriptors.empty());
  }
}

TEST_F(Packets, BringTheirDescriptorsAndCloseThemWithThePacket) {
  const size_t before = test::open_descriptors();
  const std::array<int, 2> sent{STDIN_FILENO, STDERR_FILENO};
  for (const size_t size : {size_t{10}, kMostInlineBytes + 1}) {
    ASSERT_TRUE(*here_.send(std::vector<std::byte>(size), sent, Blocking::kYes));
    ASSERT_TRUE(*there_.receive(packet_, Blocking::kYes));
    ASSERT_EQ(packet_.descriptors.size(), sent.size());
    EXPECT_EQ(::fcntl(packet_.descriptors[0].get(), F_GETFD), FD_CLOEXEC);
  }
  packet_.descriptors.clear();
  EXPECT_EQ(test::open_descriptors(), before);
}

TEST_F(Packets, WithoutWaitingNothingIsNothing) { EXPECT_FALSE(*there_.receive(packet_, Blocking::kNo)); }

TEST_F(Packets, AFullSocketTakesNothingWithoutWaiting) {
  const std::vector<std::byte> body(1000);
  size_t sent = 0;
  while (*here_.send(body, {}, Blocking::kNo)) ++sent;
  EXPECT_GT(sent, 10U);
  for (size_t i = 0; i < sent; ++i) ASSERT_TRUE(*there_.receive(packet_, Blocking::kNo));
  EXPECT_FALSE(*there_.receive(packet_, Blocking::kNo));
}

TEST_F(Packets, AClosedEndIsTold) {
  here_ = PacketSocket();
  expect_refused();
  EXPECT_EQ(there_.send({}, {}, Blocking::kYes).error().code, Code::kDeadObject);
}

TEST_F(Packets, WhatContradictsItselfIsRefused) {
  send_raw(std::as_bytes(std::span(std::string_view("short"))));
  expect_refused();
  send_raw({.magic = 1}, 0);
  expect_refused();
  send_raw({.body_bytes = 5}, 4);
  expect_refused();
  send_raw({.body_bytes = 3}, 4);
  expect_refused();
  send_raw({.body_bytes = kMostPacketBytes + 1}, 4);
  expect_refused();
  send_raw({.form = static_cast<PacketForm>(7), .body_bytes = 4}, 4);
  expect_refused();
  send_raw({.body_bytes = 4, .reserved = 1}, 4);
  expect_refused();
  // Later messages still arrive.
  ASSERT_TRUE(*here_.send({}, {}, Blocking::kYes));
  EXPECT_TRUE(there_.receive(packet_, Blocking::kYes));
}

TEST_F(Packets, DescriptorsThatNobodyAnnouncedAreClosed) {
  const size_t before = test::open_descriptors();
  send_raw({.body_bytes = 4}, 4, {0, 1});
  expect_refused();
  send_raw({.body_bytes = 4, .descriptors = 1}, 4);
  expect_refused();
  send_raw({.body_bytes = 4, .descriptors = 1}, 4, std::vector<int>(253, 0));
  expect_refused();
  send_raw({.form = PacketForm::kInMemory, .body_bytes = 4}, 0);
  expect_refused();
  EXPECT_EQ(test::open_descriptors(), before);
}

TEST_F(Packets, ABodyThatIsShorterThanItSaysIsRefused) {
  const FileDescriptor memory(::memfd_create("test", MFD_CLOEXEC));
  ASSERT_EQ(::ftruncate(memory.get(), 100), 0);
  send_raw({.form = PacketForm::kInMemory, .body_bytes = 100}, 0, {memory.get()});
  EXPECT_TRUE(*there_.receive(packet_, Blocking::kYes));
  EXPECT_EQ(packet_.body.size(), 100U);
  send_raw({.form = PacketForm::kInMemory, .body_bytes = 101}, 0, {memory.get()});
  expect_refused();
}

TEST_F(Packets, ABodyInWhatIsNoFileIsRefused) {
  std::array<int, 2> pipe{};
  ASSERT_EQ(::pipe(pipe.data()), 0);
  send_raw({.form = PacketForm::kInMemory, .body_bytes = 10}, 0, {pipe[0]});
  expect_refused();
  for (const int end : pipe) ::close(end);
}

TEST_F(Packets, AMessageThatIsLongerThanAnyIsRefused) {
  send_raw({.body_bytes = kMostInlineBytes + 100}, kMostInlineBytes + 100);
  expect_refused();
}

// ---- Bodies in parts, which is how a host sends

TEST_F(Packets, ALongBodyCanComeInParts) {
  here_ = PacketSocket(FileDescriptor::duplicate(here_.descriptor()), LongBodies::kInParts);
  const size_t before = test::open_descriptors();
  for (const size_t size : {size_t{3}, kMostInlineBytes, kMostInlineBytes + 1, 3 * kMostInlineBytes, size_t{5} << 20}) {
    std::vector<std::byte> body(size, std::byte{3});
    body.back() = std::byte{4};
    std::thread sender([&] { EXPECT_TRUE(here_.send(body, {}, Blocking::kYes)); });
    ASSERT_TRUE(*there_.receive(packet_, Blocking::kYes));
    sender.join();
    EXPECT_EQ(packet_.body, body);
  }
  EXPECT_EQ(test::open_descriptors(), before) << "no memory was passed";
  EXPECT_EQ(here_.send({}, std::array{0}, Blocking::kYes).error().code, Code::kBadData);
}

TEST_F(Packets, WhoeverDoesNotWaitGetsABodyWithItsLastPart) {
  const PacketHeader part{.form = PacketForm::kPart, .body_bytes = kMostInlineBytes + 10};
  send_raw(part, kMostInlineBytes);
  EXPECT_FALSE(*there_.receive(packet_, Blocking::kNo));
  send_raw(part, 10);
  EXPECT_TRUE(*there_.receive(packet_, Blocking::kNo));
  EXPECT_EQ(packet_.body.size(), kMostInlineBytes + 10);
}

TEST_F(Packets, PartsThatContradictTheirWholeAreRefused) {
  const PacketHeader part{.form = PacketForm::kPart, .body_bytes = kMostInlineBytes + 10};
  send_raw(part, kMostInlineBytes);
  send_raw(part, 11);  // too much
  expect_refused();
  send_raw(part, kMostInlineBytes);
  send_raw({.body_bytes = 4}, 4);  // another message in between
  expect_refused();
  send_raw(part, 0);
  expect_refused();
  send_raw({.form = PacketForm::kPart, .body_bytes = 4}, 4);  // no long body
  expect_refused();
  send_raw(part, 10, {0});
  expect_refused();
  send_raw({.form = PacketForm::kPart, .body_bytes = kMostPacketBytes + 1}, 10);
  expect_refused();
}

TEST_F(Packets, WhatNoMessageHoldsIsNotSent) {
  EXPECT_EQ(here_.send({}, std::vector<int>(kMostPacketDescriptors + 1, 0), Blocking::kYes).error().code, Code::kBadData);
}

}  // namespace
}  // namespace nnvk::accelerators
