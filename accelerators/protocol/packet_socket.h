// Sends and receives packets over one end of a SOCK_SEQPACKET pair. Used by both sides.
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
  // Two ends that are connected, close-on-exec. RESOURCE_EXHAUSTED_TRANSIENT when no descriptors are left.
  static Result<std::pair<PacketSocket, PacketSocket>> pair();

  int descriptor() const { return socket_.get(); }

  enum class Blocking : bool { kNo, kYes };
  // Sends one message; the descriptors stay the caller's. With LongBodies::kInParts there are none, the call blocks, and nobody
  // else sends meanwhile. False (with Blocking::kNo) when the socket's buffer is full: nothing was sent. DEAD_OBJECT when the
  // other end is closed, BAD_DATA for what no message can hold, RESOURCE_EXHAUSTED_TRANSIENT when the system has no descriptors
  // or memory left. Thread-safe.
  Result<bool> send(std::span<const std::byte> body, std::span<const int> descriptors, Blocking blocking) const;

  // Replaces `packet` by the next message (its memory is used again). False (with Blocking::kNo) when there is none. DEAD_OBJECT
  // when the other end is closed or what came breaks the protocol; descriptors that came are closed then. Thread-safe, each
  // thread with a packet of its own; of a body in parts all are received with the same packet.
  Result<bool> receive(Packet& packet, Blocking blocking) const;

 private:
  enum class Received : uint8_t { kNothing, kPart, kMessage };
  Result<Received> receive_packet(Packet& packet, Blocking blocking) const;
  Status send_parts(PacketHeader header, std::span<const std::byte> body) const;

  FileDescriptor socket_;
  LongBodies long_bodies_ = LongBodies::kInMemory;
};

}  // namespace nnvk::accelerators
