// The game's own Vulkan objects: a device that draws and computes, its queue, and helpers for the other files. Counts all
// submissions to the queue, those of the game and those of nnvk.
#pragma once

#include <nnvk/vulkan_interop.h>
#include <vulkan/vulkan.h>

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "tools/game/validation.h"
#include "tools/game/window.h"
#include "tools/nnapi/result.h"
#include "tools/vulkan_device/recommended_device.h"

namespace nnvk::game {

using tools::fail;
using tools::Result;
using tools::Status;

// Returns a Vulkan struct of this type, with zeros in all other members.
template <class Struct>
Struct make(VkStructureType type) {
  Struct made{};
  made.sType = type;
  return made;
}

// Checks a result. The error reads "vkQueueSubmit failed with VkResult -4".
Status check(VkResult result, const char* call);

class Device {
 public:
  // Opens the first device with a queue family that draws and computes, and that can present to `window` (null: any). Enables the
  // features that nnvk recommends. Returns null if there is no such device. `is_validated`: under the validation layer.
  static Result<std::unique_ptr<Device>> open(const Window* window, bool is_validated = false);
  ~Device();
  Device(const Device&) = delete;
  Device& operator=(const Device&) = delete;

  VkDevice get() const { return made_.device; }
  VkInstance instance() const { return instance_; }
  VkPhysicalDevice physical() const { return physical_device_; }
  uint32_t family() const { return family_; }
  const std::string& name() const { return name_; }
  // Returns nnvk's handle of this device and its queue. This object releases the handle last, after everything that was made for
  // it.
  ANeuralNetworksDevice* imported() const { return imported_; }

  // Submits a command buffer. Its transfers wait for `before`; its end signals `after` and `done`. The semaphores may be null.
  Status submit(VkCommandBuffer commands, VkSemaphore before, VkSemaphore after, VkFence done);
  VkResult present(const VkPresentInfoKHR& info);
  uint64_t submissions_of_game() const;
  uint64_t submissions_of_nnvk() const;
  // Returns how many messages the validation layer has sent.
  uint64_t complaints() const { return validation_ == nullptr ? 0 : validation_->complaints(); }

  // Returns the first memory type in `allowed` that has these properties.
  Result<uint32_t> memory_type(uint32_t allowed, VkMemoryPropertyFlags properties) const;
  Result<VkShaderModule> shader(const uint32_t* code, size_t bytes) const;

 private:
  Device() = default;
  Status make_instance(const Window* window);
  Status choose_physical_device(const Window* window);
  Status make_device(const Window* window);
  Status import();

  std::unique_ptr<Validation> validation_;
  VkInstance instance_ = VK_NULL_HANDLE;
  VkPhysicalDevice physical_device_ = VK_NULL_HANDLE;
  uint32_t family_ = 0;
  std::string name_;
  tools::RecommendedDevice made_;
  ANeuralNetworksDevice* imported_ = nullptr;
};

// A buffer with its own memory, mapped if it is host-visible.
class Buffer {
 public:
  static Result<Buffer> create(const Device& device, VkDeviceSize size, VkBufferUsageFlags usage, bool for_host);
  Buffer() = default;
  Buffer(Buffer&& other) noexcept { *this = std::move(other); }
  Buffer& operator=(Buffer&& other) noexcept;
  ~Buffer();

  VkBuffer get() const { return buffer_; }
  VkDeviceSize size() const { return size_; }
  VkBufferUsageFlags usage() const { return usage_; }
  const std::byte* bytes() const { return static_cast<const std::byte*>(mapped_); }

 private:
  VkDevice device_ = VK_NULL_HANDLE;
  VkBuffer buffer_ = VK_NULL_HANDLE;
  VkDeviceMemory memory_ = VK_NULL_HANDLE;
  VkDeviceSize size_ = 0;
  VkBufferUsageFlags usage_ = 0;
  void* mapped_ = nullptr;
};

// An image with one mip level, its own memory and its own view.
class Image {
 public:
  static Result<Image> create(const Device& device, VkExtent2D size, VkFormat format, VkImageUsageFlags usage,
                              VkImageAspectFlags aspect);
  Image() = default;
  Image(Image&& other) noexcept { *this = std::move(other); }
  Image& operator=(Image&& other) noexcept;
  ~Image();

  VkImage get() const { return image_; }
  VkImageView view() const { return view_; }
  VkExtent2D size() const { return size_; }
  VkFormat format() const { return format_; }
  VkImageUsageFlags usage() const { return usage_; }

 private:
  VkDevice device_ = VK_NULL_HANDLE;
  VkImage image_ = VK_NULL_HANDLE;
  VkDeviceMemory memory_ = VK_NULL_HANDLE;
  VkImageView view_ = VK_NULL_HANDLE;
  VkExtent2D size_{};
  VkFormat format_ = VK_FORMAT_UNDEFINED;
  VkImageUsageFlags usage_ = 0;
};

}  // namespace nnvk::game
