#include "accelerators/protocol/packet.h"

#include <cstring>

namespace nnvk::accelerators {

Result<PacketHeader> packet_header(uint64_t body_bytes, size_t descriptors, LongBodies long_bodies) {
  if (body_bytes > kMostPacketBytes) {
    return fail(Code::kBadData, "a message for a plugin host may have at most " + std::to_string(kMostPacketBytes) +
                                    " bytes, but has " + std::to_string(body_bytes));
  }
  if (descriptors > kMostPacketDescriptors) {
    return fail(Code::kBadData, "a message for a plugin host may have at most " + std::to_string(kMostPacketDescriptors) +
                                    " descriptors, but has " + std::to_string(descriptors));
  }
  if (descriptors > 0 && long_bodies == LongBodies::kInParts) {
    return fail(Code::kBadData, "a plugin host may not send descriptors");
  }
  PacketHeader header;
  const PacketForm form_of_long = long_bodies == LongBodies::kInMemory ? PacketForm::kInMemory : PacketForm::kPart;
  header.form = body_bytes <= kMostInlineBytes ? PacketForm::kInline : form_of_long;
  header.body_bytes = body_bytes;
  header.descriptors = static_cast<uint32_t>(descriptors);
  return header;
}

tl::unexpected<Error> no_packet(const std::string& what) {
  return fail(Code::kDeadObject, "this is no message of the plugin protocol: " + what);
}

Result<PacketHeader> read_packet_header(std::span<const std::byte> start, size_t received, size_t descriptors) {
  PacketHeader header;
  if (start.size() < sizeof header) return no_packet("it has only " + std::to_string(received) + " bytes, fewer than a header");
  std::memcpy(&header, start.data(), sizeof header);
  if (header.magic != kPacketMagic || header.reserved != 0) return no_packet("its first bytes are not those of a header");
  if (header.body_bytes > kMostPacketBytes)
    return no_packet("it announces a body of " + std::to_string(header.body_bytes) + " bytes, more than allowed");
  if (header.descriptors > kMostPacketDescriptors)
    return no_packet("it announces " + std::to_string(header.descriptors) + " descriptors, more than allowed");
  const size_t behind = received - sizeof header;
  switch (header.form) {
    case PacketForm::kInline:
      if (header.body_bytes != behind || behind > kMostInlineBytes) {
        return no_packet("it announces a body of " + std::to_string(header.body_bytes) + " bytes, but has " +
                         std::to_string(behind));
      }
      if (header.descriptors != descriptors) return no_packet("it announces another number of descriptors than came");
      return header;
    case PacketForm::kInMemory:
      if (behind != 0) return no_packet("it has bytes behind the header although its body is in a memory");
      if (descriptors != size_t{header.descriptors} + 1) return no_packet("it announces another number of descriptors than came");
      return header;
    case PacketForm::kPart:
      if (behind == 0 || behind > kMostInlineBytes || header.body_bytes <= kMostInlineBytes) {
        return no_packet("it has a part of " + std::to_string(behind) + " bytes, which does not fit a body of " +
                         std::to_string(header.body_bytes) + " bytes");
      }
      if (descriptors != 0 || header.descriptors != 0) return no_packet("it is a part of a body, but has descriptors");
      return header;
  }
  return no_packet("it has the unknown form " + std::to_string(static_cast<uint32_t>(header.form)));
}

}  // namespace nnvk::accelerators
