// The formats in which shaders read tensors. Plain data.
#pragma once

#include <cstdint>

namespace nnvk::vulkan {

// How a shader reads the bytes of a tensor. Texel views need the kernel's texel variant; the words variant reads uint[].
enum class ViewFormat : uint8_t {
  kWords,  // storage buffer of 32-bit words (all writes; reads of tables)
  kR32Sfloat,
  kRgba32Sfloat,
  kR16Sfloat,
  kRgba16Sfloat,
  kR8Sint,
  kRgba8Sint,
  kR16Sint,
  kRgba16Sint,
  kR32Sint,
  kRgba32Sint,
  kRgba32Uint,  // 16 raw bytes: wide copies, sixteen 8-bit values at once
};

// Returns the bytes of one texel; 4 for kWords.
constexpr uint32_t texel_bytes(ViewFormat format) {
  switch (format) {
    case ViewFormat::kR8Sint:
      return 1;
    case ViewFormat::kR16Sfloat:
    case ViewFormat::kR16Sint:
      return 2;
    case ViewFormat::kWords:
    case ViewFormat::kR32Sfloat:
    case ViewFormat::kR32Sint:
    case ViewFormat::kRgba8Sint:
      return 4;
    case ViewFormat::kRgba16Sfloat:
    case ViewFormat::kRgba16Sint:
      return 8;
    case ViewFormat::kRgba32Sfloat:
    case ViewFormat::kRgba32Sint:
    case ViewFormat::kRgba32Uint:
      return 16;
  }
  return 4;
}

}  // namespace nnvk::vulkan
