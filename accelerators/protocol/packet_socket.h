// Sends and receives packets over one end of a SOCK_SEQPACKET pair. Client and host both use it.
#pragma once

#include <span>
#include <utility>

#include "accelerators/protocol/packet.h"
#include "core/base/file_descriptor.h"
#include "core/base/result.h"

namespace nnvk::accelerators {

class PacketSocket {
 public:
  PacketSocket() = default;
  explicit PacketSocket(FileDescriptor socket, LongBodies long_bodies = LongBodies::kInMemory)
      : socket_(std::move(socket)), long_bodies_(long_bodies) {}
  // Makes two connected ends, close-on-exec. RESOURCE_EXHAUSTED_TRANSIENT if no descriptors are left.
  static Result<std::pair<PacketSocket, PacketSocket>> pair();

  int descriptor() const { return socket_.get(); }

  enum class Blocking : bool { kNo, kYes };
  // Sends one message; the caller keeps the descriptors. With Blocking::kNo, it returns false if the socket's buffer is full, and
  // then has sent nothing. With LongBodies::kInParts the call always blocks, takes no descriptors, and is not thread-safe; else
  // it is thread-safe. Returns DEAD_OBJECT if the other end is closed. Returns BAD_DATA if the message is too large or has too
  // many descriptors. Returns RESOURCE_EXHAUSTED_TRANSIENT if the system has no descriptors or memory left.
  Result<bool> send(std::span<const std::byte> body, std::span<const int> descriptors, Blocking blocking) const;

  // Replaces `packet` by the next message (and reuses its memory). Returns false (with Blocking::kNo) if there is none.
  // DEAD_OBJECT if the other end is closed or the message breaks the protocol; then closes received descriptors. Thread-safe if
  // each thread has its own packet. All parts of one body need the same packet.
  Result<bool> receive(Packet& packet, Blocking blocking) const;

 private:
  enum class Received : uint8_t { kNothing, kPart, kMessage };
  Result<Received> receive_packet(Packet& packet, Blocking blocking) const;
  Status send_parts(PacketHeader header, std::span<const std::byte> body) const;

  FileDescriptor socket_;
  LongBodies long_bodies_ = LongBodies::kInMemory;
};

}  // namespace nnvk::accelerators
