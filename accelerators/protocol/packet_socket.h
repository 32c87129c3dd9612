// Sends and receives packets over one end of a SOCK_SEQPACKET pair. Client and host both use it.
#pragma once

#include <optional>
#include <span>
#include <utility>
#include <vector>

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
  // Sends one message; the caller keeps the descriptors. With LongBodies::kInParts there must be no descriptors, the call blocks,
  // and no other thread may send meanwhile. Returns false (with Blocking::kNo) if the socket's buffer is full: it then has sent
  // nothing. DEAD_OBJECT if the other end is closed, BAD_DATA if the message is too large. RESOURCE_EXHAUSTED_TRANSIENT if the
  // system has no descriptors or memory left. Thread-safe.
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
