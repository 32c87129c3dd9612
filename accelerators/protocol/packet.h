// One message between a client and its plugin host as it crosses the socket: bytes, and the descriptors that belong to them.
// Pure: the layout and its rules; packet_socket.h sends and receives.
//
// The socket is SOCK_SEQPACKET. The kernel keeps the borders of messages and which descriptors came with which, a message that
// was cut is told by a flag, and there is no half of a message to keep for later, so there is no such state to get wrong. Its
// price is that a message has to fit into the socket's buffer. A long body of the client travels in a memfd, read with pread(),
// which copies it before anybody looks at it and fails where the file is shorter than it says. A long body of the host travels in
// parts: its sandbox lets it neither make memfds nor pass descriptors on.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "core/base/file_descriptor.h"
#include "core/base/result.h"

namespace nnvk::accelerators {

inline constexpr uint32_t kPacketMagic = 0x504B564E;  // "NVKP"
inline constexpr size_t kMostInlineBytes = size_t{32} << 10;
inline constexpr size_t kMostPacketBytes = size_t{256} << 20;
// Descriptors that a message may carry, besides that of its long body. The kernel passes at most 253.
inline constexpr size_t kMostPacketDescriptors = 64;

// kPart: the next bytes of a body that comes in several messages, one directly behind the other.
enum class PacketForm : uint32_t { kInline = 0, kInMemory = 1, kPart = 2 };

// At the start of every message.
struct PacketHeader {
  uint32_t magic = kPacketMagic;
  PacketForm form = PacketForm::kInline;
  uint64_t body_bytes = 0;   // behind the header, in the memfd that is the first descriptor, or in all parts together
  uint32_t descriptors = 0;  // without that of the body
  uint32_t reserved = 0;     // 0
};
static_assert(sizeof(PacketHeader) == 24);

// A message that has arrived.
struct Packet {
  std::vector<std::byte> body;
  std::vector<FileDescriptor> descriptors;
  std::vector<std::byte> begun = {};  // the parts that have come of a body whose last part has not
};

// How one end of a socket sends bodies that are too long for one packet.
enum class LongBodies : uint8_t { kInMemory, kInParts };

// The header for a body of this size. BAD_DATA when it is longer than a message may be, or there are too many descriptors.
Result<PacketHeader> packet_header(uint64_t body_bytes, size_t descriptors, LongBodies long_bodies = LongBodies::kInMemory);

// Reads the header of a message of `received` bytes that begins with `start` (as much of a header as came) and brought this many
// descriptors. DEAD_OBJECT, with what is wrong, when they contradict each other: whoever sends that does not speak this protocol.
Result<PacketHeader> read_packet_header(std::span<const std::byte> start, size_t received, size_t descriptors);

}  // namespace nnvk::accelerators
