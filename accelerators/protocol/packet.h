// One message between a client and its plugin host on the socket: bytes, and the descriptors that belong to them. Pure: the
// layout and its rules; packet_socket.h sends and receives. The socket is SOCK_SEQPACKET: the kernel preserves the borders of
// messages and their descriptors, and flags truncated messages, so no receiver has to store half a message. In return, a message
// must fit into the socket's buffer. A long body of the client travels in a memfd. The host reads it with pread(), which copies
// it before any code looks at it, and fails if the file is too short. A long body of the host travels in parts: its sandbox
// permits it neither to make memfds nor to pass descriptors on.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "core/base/file_descriptor.h"
#include "core/base/result.h"

namespace nnvk::accelerators {

inline constexpr uint32_t kPacketMagic = 0x504B564E;  // "NVKP"
inline constexpr size_t kMostInlineBytes = size_t{32} << 10;
inline constexpr size_t kMostPacketBytes = size_t{256} << 20;
// The most descriptors of a message, besides that of its long body. The kernel passes at most 253.
inline constexpr size_t kMostPacketDescriptors = 64;

// kPart: the message holds the next bytes of a body that several consecutive messages carry.
enum class PacketForm : uint32_t { kInline = 0, kInMemory = 1, kPart = 2 };

// The bytes at the start of every message.
struct PacketHeader {
  uint32_t magic = kPacketMagic;
  PacketForm form = PacketForm::kInline;
  uint64_t body_bytes = 0;   // behind the header, in the memfd that is the first descriptor, or in all parts together
  uint32_t descriptors = 0;  // without that of the body
  uint32_t reserved = 0;     // 0
};
static_assert(sizeof(PacketHeader) == 24);

// A received message.
struct Packet {
  std::vector<std::byte> body;
  std::vector<FileDescriptor> descriptors;
  std::vector<std::byte> begun = {};  // the parts received so far of an incomplete body
};

// How one end of a socket sends bodies that are too long for one packet.
enum class LongBodies : uint8_t { kInMemory, kInParts };

// Returns the header for a body of this size. BAD_DATA if the body exceeds the longest message, or if there are too many
// descriptors.
Result<PacketHeader> packet_header(uint64_t body_bytes, size_t descriptors, LongBodies long_bodies = LongBodies::kInMemory);

// Returns DEAD_OBJECT for a message whose sender does not speak this protocol; `what` is the contradiction.
tl::unexpected<Error> no_packet(const std::string& what);

// Reads the header of a message of `received` bytes and this many descriptors. `start` is the beginning of the message (as much
// of a header as arrived). DEAD_OBJECT, with the contradiction, if they do not match: the sender does not speak this protocol.
Result<PacketHeader> read_packet_header(std::span<const std::byte> start, size_t received, size_t descriptors);

}  // namespace nnvk::accelerators
