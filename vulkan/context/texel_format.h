// The Vulkan side of ViewFormat: which VkFormat a binding's texels have.
#pragma once

#include <volk.h>

#include <array>

#include "vulkan/traits/view_format.h"

namespace nnvk::vulkan {

struct TexelFormat {
  ViewFormat view;
  VkFormat format;
};

// Every format that kernels read through texel buffers.
inline constexpr std::array kTexelFormats = {
    TexelFormat{ViewFormat::kR32Sfloat, VK_FORMAT_R32_SFLOAT},
    TexelFormat{ViewFormat::kRgba32Sfloat, VK_FORMAT_R32G32B32A32_SFLOAT},
    TexelFormat{ViewFormat::kR16Sfloat, VK_FORMAT_R16_SFLOAT},
    TexelFormat{ViewFormat::kRgba16Sfloat, VK_FORMAT_R16G16B16A16_SFLOAT},
    TexelFormat{ViewFormat::kR8Sint, VK_FORMAT_R8_SINT},
    TexelFormat{ViewFormat::kRgba8Sint, VK_FORMAT_R8G8B8A8_SINT},
    TexelFormat{ViewFormat::kR16Sint, VK_FORMAT_R16_SINT},
    TexelFormat{ViewFormat::kRgba16Sint, VK_FORMAT_R16G16B16A16_SINT},
    TexelFormat{ViewFormat::kR32Sint, VK_FORMAT_R32_SINT},
    TexelFormat{ViewFormat::kRgba32Sint, VK_FORMAT_R32G32B32A32_SINT},
    TexelFormat{ViewFormat::kRgba32Uint, VK_FORMAT_R32G32B32A32_UINT},
};

// Returns the Vulkan format of a view; VK_FORMAT_UNDEFINED for kWords, which is no texel format.
constexpr VkFormat vk_format(ViewFormat view) {
  for (const TexelFormat& row : kTexelFormats) {
    if (row.view == view) return row.format;
  }
  return VK_FORMAT_UNDEFINED;
}

}  // namespace nnvk::vulkan
