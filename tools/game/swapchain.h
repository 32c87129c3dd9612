// Shows frames in a window: stretches each over an image of a swapchain, and presents it on the game's queue.
#pragma once

#include <memory>
#include <vector>

#include "tools/game/device.h"

namespace nnvk::game {

class Swapchain {
 public:
  // Makes a swapchain that owns `surface`. Frames have `frame` pixels. `frames`: the most frames in flight; their slots count
  // from 0.
  static Result<std::unique_ptr<Swapchain>> create(Device& device, VkSurfaceKHR surface, VkExtent2D frame, uint32_t frames);
  ~Swapchain();
  Swapchain(const Swapchain&) = delete;
  Swapchain& operator=(const Swapchain&) = delete;

  // Returns the format that frames must have: both sides of the blit are then linear, or both sRGB, so that the blit does not
  // change bytes.
  VkFormat frame_format() const;

  // Acquires the image for the frame in `slot`, whose last submission must have completed. `window`: the window's pixels. Returns
  // false if the window shows nothing at present.
  Result<bool> acquire(uint32_t slot, VkExtent2D window);
  // Records commands that stretch the frame over the acquired image. `frame` must be in the layout TRANSFER_SRC_OPTIMAL, and its
  // writes visible to transfers.
  void record(VkCommandBuffer commands, const Image& frame) const;
  // The submission of the recorded commands must wait for `taken` in the transfer stage, and signal `drawn`.
  VkSemaphore taken(uint32_t slot) const { return slots_[slot].taken; }
  VkSemaphore drawn() const { return images_[image_].drawn; }
  // Presents the image. Call it after the submission.
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
  // Nothing reports when the last image of a chain has left the screen, so this object keeps old chains until the end.
  std::vector<VkSwapchainKHR> old_chains_;
  std::vector<ImageOfChain> old_images_;
};

}  // namespace nnvk::game
