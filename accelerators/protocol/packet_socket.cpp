#include "accelerators/protocol/packet_socket.h"

#include <sys/mman.h>
#include <sys/socket.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstring>
#include <string>

#include "core/base/passed_descriptors.h"

namespace nnvk::accelerators {
namespace {

tl::unexpected<Error> system_error(const char* what) {
  const int reason = errno;
  const bool is_gone = reason == EPIPE || reason == ECONNRESET || reason == ENOTCONN || reason == EBADF;
  return fail(is_gone ? Code::kDeadObject : Code::kResourceExhaustedTransient,
              std::string(what) + (is_gone ? ": the other end is closed (" : " failed (") + std::strerror(reason) + ")");
}

Result<FileDescriptor> body_in_memory(std::span<const std::byte> body) {
  FileDescriptor memory(::memfd_create("nnvk message", MFD_CLOEXEC));
  if (!memory || !write_all(memory.get(), body, 0)) return system_error("making the memory of a long message");
  return memory;
}

// Adds a part to the parts received so far. Returns true if it was the last part.
Result<bool> add_part(const PacketHeader& header, size_t size, Packet& packet) {
  packet.begun.insert(packet.begun.end(), packet.body.begin(), packet.body.begin() + static_cast<ptrdiff_t>(size));
  if (packet.begun.size() > header.body_bytes) return no_packet("it has too many parts");
  if (packet.begun.size() < header.body_bytes) return false;
  packet.body.swap(packet.begun);
  packet.begun.clear();
  return true;
}

// Checks a received packet, and leaves the whole body and only the sender's descriptors in `packet`. Returns false if more parts
// follow.
Result<bool> finish_receiving(std::span<const std::byte> start, size_t received, int flags, Packet& packet) {
  if (received == 0 && packet.descriptors.empty()) return fail(Code::kDeadObject, "the other end of the socket is closed");
  if ((flags & (MSG_TRUNC | MSG_CTRUNC)) != 0) return no_packet("it is longer than messages may be");
  NNVK_ASSIGN(const PacketHeader header,
              read_packet_header(start.first(std::min(received, start.size())), received, packet.descriptors.size()));
  if (header.form == PacketForm::kPart) return add_part(header, received - sizeof header, packet);
  if (!packet.begun.empty()) return no_packet("a part of it is missing");
  packet.body.resize(header.body_bytes);
  if (header.form == PacketForm::kInline) return true;
  // Copies the body before any check, because the sender may still write to its file.
  if (!read_all(packet.descriptors.front().get(), packet.body, 0)) return no_packet("its memory is shorter than it announces");
  packet.descriptors.erase(packet.descriptors.begin());
  return true;
}

}  // namespace

Result<std::pair<PacketSocket, PacketSocket>> PacketSocket::pair() {
  std::array<int, 2> ends{};
  if (::socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, ends.data()) != 0) return system_error("making a socket pair");
  return std::pair(PacketSocket(FileDescriptor(ends[0])), PacketSocket(FileDescriptor(ends[1])));
}

Result<bool> PacketSocket::send(std::span<const std::byte> body, std::span<const int> descriptors, Blocking blocking) const {
  NNVK_ASSIGN(PacketHeader header, packet_header(body.size(), descriptors.size(), long_bodies_));
  if (long_bodies_ == LongBodies::kInParts) {
    NNVK_TRY(send_parts(header, body));
    return true;
  }
  std::array<int, kMostPacketDescriptors + 1> passed{};
  size_t passed_count = 0;
  FileDescriptor memory;
  if (header.form == PacketForm::kInMemory) {
    NNVK_ASSIGN(memory, body_in_memory(body));
    passed[passed_count++] = memory.get();
    body = {};
  }
  for (const int fd : descriptors) passed[passed_count++] = fd;

  std::array<iovec, 2> parts{iovec{&header, sizeof header}, iovec{const_cast<std::byte*>(body.data()), body.size()}};
  DescriptorRoom<kMostPacketDescriptors + 1> room;
  msghdr message{};
  message.msg_iov = parts.data();
  message.msg_iovlen = body.empty() ? 1 : 2;
  pass_descriptors(message, std::span(passed).first(passed_count), room.bytes);
  const int flags = MSG_NOSIGNAL | (blocking == Blocking::kNo ? MSG_DONTWAIT : 0);
  if (uninterrupted([&] { return ::sendmsg(socket_.get(), &message, flags); }) >= 0) return true;
  if (errno == EAGAIN || errno == EWOULDBLOCK) return false;
  return system_error("sending a message");
}

// Sends a body in parts. It uses sendto(), because the sandbox refuses sendmsg(), which could pass descriptors on.
Status PacketSocket::send_parts(PacketHeader header, std::span<const std::byte> body) const {
  std::vector<std::byte> packet;
  do {
    const auto part = body.first(std::min(body.size(), kMostInlineBytes));
    body = body.subspan(part.size());
    const auto head = std::as_bytes(std::span(&header, 1));
    packet.assign(head.begin(), head.end());
    packet.insert(packet.end(), part.begin(), part.end());
    const ssize_t sent = uninterrupted([&] { return ::send(socket_.get(), packet.data(), packet.size(), MSG_NOSIGNAL); });
    if (sent < 0) return system_error("sending a message");
  } while (!body.empty());
  return {};
}

Result<bool> PacketSocket::receive(Packet& packet, Blocking blocking) const {
  for (;;) {
    NNVK_ASSIGN(const Received received, receive_packet(packet, blocking));
    if (received != Received::kPart) return received == Received::kMessage;
  }
}

Result<PacketSocket::Received> PacketSocket::receive_packet(Packet& packet, Blocking blocking) const {
  packet.descriptors.clear();
  packet.descriptors.reserve(kMostPassedDescriptors);  // the code below must not throw
  packet.body.resize(kMostInlineBytes);
  std::array<std::byte, sizeof(PacketHeader)> start;
  std::array<iovec, 2> parts{iovec{start.data(), start.size()}, iovec{packet.body.data(), packet.body.size()}};
  DescriptorRoom<kMostPassedDescriptors> room;
  msghdr message{};
  message.msg_iov = parts.data();
  message.msg_iovlen = parts.size();
  message.msg_control = room.bytes.data();
  message.msg_controllen = room.bytes.size();
  const int flags = MSG_CMSG_CLOEXEC | (blocking == Blocking::kNo ? MSG_DONTWAIT : 0);
  const ssize_t received = uninterrupted([&] { return ::recvmsg(socket_.get(), &message, flags); });
  if (received < 0 && (errno == EAGAIN || errno == EWOULDBLOCK)) return Received::kNothing;
  if (received < 0) return system_error("receiving a message");
  take_descriptors(message, packet.descriptors);
  const auto arrived = finish_receiving(start, static_cast<size_t>(received), message.msg_flags, packet);
  if (arrived) return *arrived ? Received::kMessage : Received::kPart;
  packet.descriptors.clear();
  packet.begun.clear();
  return fail(arrived.error());
}

}  // namespace nnvk::accelerators
