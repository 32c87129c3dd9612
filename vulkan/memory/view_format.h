// The Vulkan side of ViewFormat: which VkFormat a binding's texels have.
#pragma once

#include <volk.h>

#include <array>
#include <cstdint>

#include "vulkan/kernels/dispatch.h"

namespace nnvk::vulkan {

// Every format that kernels read through texel buffers.
inline constexpr std::array kTexelFormats = {ViewFormat::kR32Sfloat,    ViewFormat::kRgba32Sfloat, ViewFormat::kR16Sfloat,
                                             ViewFormat::kRgba16Sfloat, ViewFormat::kR8Sint,       ViewFormat::kRgba8Sint,
                                             ViewFormat::kR16Sint,      ViewFormat::kRgba16Sint,   ViewFormat::kR32Sint,
                                             ViewFormat::kRgba32Sint,   ViewFormat::kRgba32Uint};

// VK_FORMAT_UNDEFINED for kWords, which is no texel format.
constexpr VkFormat vk_format(ViewFormat format) {
  switch (format) {
    case ViewFormat::kWords:
      break;
    case ViewFormat::kR32Sfloat:
      return VK_FORMAT_R32_SFLOAT;
    case ViewFormat::kRgba32Sfloat:
      return VK_FORMAT_R32G32B32A32_SFLOAT;
    case ViewFormat::kR16Sfloat:
      return VK_FORMAT_R16_SFLOAT;
    case ViewFormat::kRgba16Sfloat:
      return VK_FORMAT_R16G16B16A16_SFLOAT;
    case ViewFormat::kR8Sint:
      return VK_FORMAT_R8_SINT;
    case ViewFormat::kRgba8Sint:
      return VK_FORMAT_R8G8B8A8_SINT;
    case ViewFormat::kR16Sint:
      return VK_FORMAT_R16_SINT;
    case ViewFormat::kRgba16Sint:
      return VK_FORMAT_R16G16B16A16_SINT;
    case ViewFormat::kR32Sint:
      return VK_FORMAT_R32_SINT;
    case ViewFormat::kRgba32Sint:
      return VK_FORMAT_R32G32B32A32_SINT;
    case ViewFormat::kRgba32Uint:
      return VK_FORMAT_R32G32B32A32_UINT;
  }
  return VK_FORMAT_UNDEFINED;
}

}  // namespace nnvk::vulkan
