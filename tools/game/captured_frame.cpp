#include "tools/game/captured_frame.h"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <span>

#include "tools/game/guided_networks.h"
#include "tools/game/renderer.h"
#include "tools/image/picture.h"
#include "tools/nnapi/half.h"

namespace nnvk::game {
namespace {

// A format, as the host reads it.
struct Pixel {
  uint32_t bytes = 0;
  uint32_t components = 0;
  uint32_t channels = 0;  // of the tensor
  bool is_half = false;
};

Pixel pixel_of(VkFormat format) {
  if (format == VK_FORMAT_R16_SFLOAT) return {2, 1, 1, true};
  if (format == VK_FORMAT_R16G16B16A16_SFLOAT) return {8, 4, 3, true};
  return {4, 4, 3, false};  // 8-bit RGBA
}

}  // namespace

Result<CapturedFrame> CapturedFrame::make(const Device& device, const std::vector<const Image*>& images) {
  CapturedFrame made;
  made.size_ = images.front()->size();
  VkDeviceSize end = 0;
  for (const Image* image : images) {
    made.parts_.push_back({image->get(), image->format(), end});
    const VkDeviceSize bytes = VkDeviceSize{pixel_of(image->format()).bytes} * made.size_.width * made.size_.height;
    end += (bytes + 15) / 16 * 16;
  }
  TOOLS_ASSIGN(made.buffer_, Buffer::create(device, end, VK_BUFFER_USAGE_TRANSFER_DST_BIT, true));
  return made;
}

void CapturedFrame::record(VkCommandBuffer commands, VkImageLayout layout) const {
  for (const Part& part : parts_) {
    const VkBufferImageCopy whole{part.offset, 0, 0, {VK_IMAGE_ASPECT_COLOR_BIT, 0, 0, 1}, {}, {size_.width, size_.height, 1}};
    vkCmdCopyImageToBuffer(commands, part.image, layout, buffer_.get(), 1, &whole);
  }
  barrier(commands, VK_PIPELINE_STAGE_TRANSFER_BIT, VK_ACCESS_TRANSFER_WRITE_BIT, VK_PIPELINE_STAGE_HOST_BIT,
          VK_ACCESS_HOST_READ_BIT);
}

// Returns the tensor of an image, which nnvk/vulkan_interop.h defines.
std::vector<float> CapturedFrame::values_of(const Part& part) const {
  const Pixel pixel = pixel_of(part.format);
  const size_t pixels = size_t{size_.width} * size_.height;
  std::vector<float> values;
  values.reserve(pixels * pixel.channels);
  const std::byte* at = buffer_.bytes() + part.offset;
  for (size_t i = 0; i < pixels; ++i, at += pixel.bytes) {
    for (uint32_t c = 0; c < pixel.channels; ++c) {
      uint16_t half = 0;
      if (pixel.is_half) std::memcpy(&half, at + c * sizeof half, sizeof half);
      constexpr float kUnit = 1.0F / 255;
      values.push_back(pixel.is_half ? tools::half_to_float(half) : static_cast<float>(at[c]) * kUnit);
    }
  }
  return values;
}

Result<int> CapturedFrame::difference_to_cpu(const tools::ModelBuilder& network) const {
  std::vector<std::vector<float>> inputs;
  std::vector<std::vector<uint32_t>> dimensions;
  for (const Part& part : std::span(parts_).first(parts_.size() - 1)) {
    inputs.push_back(values_of(part));
    dimensions.push_back({1, size_.height, size_.width, pixel_of(part.format).channels});
  }
  const auto [darkest, brightest] = std::ranges::minmax_element(inputs.front());
  if (*brightest - *darkest < 0.25F) return fail("the picture has one colour only, so that a comparison says nothing");
  const std::vector<float> shown = values_of(parts_.back());
  TOOLS_ASSIGN(const std::vector<float> wanted, compute_on_cpu(network, dimensions, inputs, shown.size()));
  const auto byte_of = [](float unit) { return static_cast<int>(std::lround(std::clamp(unit, 0.0F, 1.0F) * 255)); };
  int most = 0;
  for (size_t i = 0; i < shown.size(); ++i) most = std::max(most, std::abs(byte_of(wanted[i]) - byte_of(shown[i])));
  return most;
}

Status CapturedFrame::save(const std::string& file) const {
  tools::Picture both{size_.width, 2 * size_.height, 3, {}};
  for (const Part* part : {&parts_.front(), &parts_.back()}) {
    for (const float value : values_of(*part)) both.values.push_back(value * 255);
  }
  return tools::save_picture(both, file);
}

}  // namespace nnvk::game
