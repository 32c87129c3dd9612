#include "accelerators/protocol/packet.h"

#include <cstring>
#include <string>

namespace nnvk::accelerators {

Result<PacketHeader> packet_header(uint64_t body_bytes, size_t descriptors, LongBodies long_bodies) {
  if (body_bytes > kMostPacketBytes) {
    return fail(Code::kBadData, "a message of " + std::to_string(body_bytes) + " bytes for a plugin host; at most " +
                                    std::to_string(kMostPacketBytes) + " can be sent");
  }
  if (descriptors > kMostPacketDescriptors) {
    return fail(Code::kBadData, std::to_string(descriptors) + " descriptors in one message for a plugin host; at most " +
                                    std::to_string(kMostPacketDescriptors) + " can be sent");
  }
  if (descriptors > 0 && long_bodies == LongBodies::kInParts) {
    return fail(Code::kBadData, "a plugin host sends no descriptors");
  }
  PacketHeader header;
  const PacketForm form_of_long = long_bodies == LongBodies::kInMemory ? PacketForm::kInMemory : PacketForm::kPart;
  header.form = body_bytes <= kMostInlineBytes ? PacketForm::kInline : form_of_long;
  header.body_bytes = body_bytes;
  header.descriptors = static_cast<uint32_t>(descriptors);
  return header;
}

Result<PacketHeader> read_packet_header(std::span<const std::byte> start, size_t received, size_t descriptors) {
  const auto refuse = [](const std::string& what) {
    return fail(Code::kDeadObject, "no message of the plugin protocol: " + what);
  };
  PacketHeader header;
  if (start.size() < sizeof header) return refuse("it has " + std::to_string(received) + " bytes");
  std::memcpy(&header, start.data(), sizeof header);
  if (header.magic != kPacketMagic || header.reserved != 0) return refuse("its first bytes are something else");
  if (header.body_bytes > kMostPacketBytes) return refuse("a body of " + std::to_string(header.body_bytes) + " bytes");
  if (header.descriptors > kMostPacketDescriptors) return refuse(std::to_string(header.descriptors) + " descriptors");
  const size_t behind = received - sizeof header;
  switch (header.form) {
    case PacketForm::kInline:
      if (header.body_bytes != behind || behind > kMostInlineBytes) {
        return refuse("it says " + std::to_string(header.body_bytes) + " bytes and has " + std::to_string(behind));
      }
      if (header.descriptors != descriptors) return refuse("it says another number of descriptors than came");
      return header;
    case PacketForm::kInMemory:
      if (behind != 0) return refuse("bytes where its body is in a memory");
      if (descriptors != size_t{header.descriptors} + 1) return refuse("it says another number of descriptors than came");
      return header;
    case PacketForm::kPart:
      if (behind == 0 || behind > kMostInlineBytes || header.body_bytes <= kMostInlineBytes) {
        return refuse("a part of " + std::to_string(behind) + " of " + std::to_string(header.body_bytes) + " bytes");
      }
      if (descriptors != 0 || header.descriptors != 0) return refuse("a part with descriptors");
      return header;
  }
  return refuse("form " + std::to_string(static_cast<uint32_t>(header.form)));
}

}  // namespace nnvk::accelerators
