// Shows frames in a window: each is stretched over an image of a swapchain, which is presented on the game's queue.
#pragma once

#include <memory>
#include <vector>

#include "tools/game/device.h"

namespace nnvk::game {

class Swapchain {
 public:
  // Takes ownership of `surface`. Frames have `frame` pixels. `frames`: how many may be in flight; their slots count from 0.
  static Result<std::unique_ptr<Swapchain>> create(Device& device, VkSurfaceKHR surface, VkExtent2D frame, uint32_t frames);
  ~Swapchain();
  Swapchain(const Swapchain&) = delete;
  Swapchain& operator=(const Swapchain&) = delete;

  // The required format of frames, which keeps their bytes unchanged: both sides of the blit are linear, or both are sRGB.
  VkFormat frame_format() const;

  // Acquires the image for the frame of `slot`, whose last submission has completed, in a window of `window` pixels. False: the
  // window shows nothing at present.
  Result<bool> acquire(uint32_t slot, VkExtent2D window);
  // Stretches the frame over the acquired image. `frame` is in the layout TRANSFER_SRC_OPTIMAL, and its writes are visible to
  // transfers.
  void record(VkCommandBuffer commands, const Image& frame) const;
  // The submission of these commands waits for `taken`, in the transfer stage, and signals `drawn`.
  VkSemaphore taken(uint32_t slot) const { return slots_[slot].taken; }
  VkSemaphore drawn() const { return images_[image_].drawn; }
  // Call it after the submission.
  Status present();

 private:
  struct Slot {
    VkSemaphore taken = VK_NULL_HANDLE;
  };
  struct ImageOfChain {
    VkImage image = VK_NULL_HANDLE;
    VkSemaphore drawn = VK_NULL_HANDLE;
  };

  Swapchain(Device& device, VkSurfaceKHR surface, VkExtent2D frame) : device_(device), surface_(surface), frame_(frame) {}
  Status choose_format();
  Status make_slots(uint32_t frames);
  Status make_chain(VkExtent2D window);

  Device& device_;
  const VkSurfaceKHR surface_;
  const VkExtent2D frame_;
  VkSurfaceFormatKHR format_{};
  std::vector<Slot> slots_;
  VkSwapchainKHR chain_ = VK_NULL_HANDLE;
  VkExtent2D extent_{};  // of its images
  bool is_outdated_ = true;
  std::vector<ImageOfChain> images_;
  uint32_t image_ = 0;  // The last acquired image.
  // Nothing reports when the last image of a chain has left the screen, so old chains stay until the end.
  std::vector<VkSwapchainKHR> old_chains_;
  std::vector<ImageOfChain> old_images_;
};

}  // namespace nnvk::game
