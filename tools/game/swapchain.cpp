#include "tools/game/swapchain.h"

#include <algorithm>
#include <array>
#include <limits>

#include "tools/game/renderer.h"

namespace nnvk::game {
namespace {

constexpr VkImageSubresourceLayers kColour{VK_IMAGE_ASPECT_COLOR_BIT, 0, 0, 1};

VkOffset3D corner(VkExtent2D size) { return {static_cast<int32_t>(size.width), static_cast<int32_t>(size.height), 1}; }

bool is_srgb(VkFormat format) { return format == VK_FORMAT_B8G8R8A8_SRGB || format == VK_FORMAT_R8G8B8A8_SRGB; }

Result<VkSemaphore> make_semaphore(const Device& device) {
  const auto info = make<VkSemaphoreCreateInfo>(VK_STRUCTURE_TYPE_SEMAPHORE_CREATE_INFO);
  VkSemaphore made = VK_NULL_HANDLE;
  TOOLS_TRY(check(vkCreateSemaphore(device.get(), &info, nullptr, &made), "vkCreateSemaphore"));
  return made;
}

}  // namespace

Result<std::unique_ptr<Swapchain>> Swapchain::create(Device& device, VkSurfaceKHR surface, VkExtent2D frame, uint32_t frames) {
  std::unique_ptr<Swapchain> made(new Swapchain(device, surface, frame));
  TOOLS_TRY(made->choose_format());
  TOOLS_TRY(made->make_slots(frames));
  return made;
}

Swapchain::~Swapchain() {
  vkDeviceWaitIdle(device_.get());  // at the end of the game: no fence reports that an image has left the screen
  for (const Slot& slot : slots_) vkDestroySemaphore(device_.get(), slot.taken, nullptr);
  old_images_.insert(old_images_.end(), images_.begin(), images_.end());
  for (const ImageOfChain& image : old_images_) vkDestroySemaphore(device_.get(), image.drawn, nullptr);
  old_chains_.push_back(chain_);
  for (const VkSwapchainKHR chain : old_chains_) vkDestroySwapchainKHR(device_.get(), chain, nullptr);
  vkDestroySurfaceKHR(device_.instance(), surface_, nullptr);
}

Status Swapchain::choose_format() {
  uint32_t count = 0;
  TOOLS_TRY(check(vkGetPhysicalDeviceSurfaceFormatsKHR(device_.physical(), surface_, &count, nullptr),
                  "vkGetPhysicalDeviceSurfaceFormatsKHR"));
  std::vector<VkSurfaceFormatKHR> offered(count);
  TOOLS_TRY(check(vkGetPhysicalDeviceSurfaceFormatsKHR(device_.physical(), surface_, &count, offered.data()),
                  "vkGetPhysicalDeviceSurfaceFormatsKHR"));
  for (const VkFormat wanted :
       {VK_FORMAT_B8G8R8A8_UNORM, VK_FORMAT_R8G8B8A8_UNORM, VK_FORMAT_B8G8R8A8_SRGB, VK_FORMAT_R8G8B8A8_SRGB}) {
    const auto found = std::ranges::find(offered, wanted, &VkSurfaceFormatKHR::format);
    if (found == offered.end()) continue;
    format_ = *found;
    return {};
  }
  return fail("the window takes no images of 8-bit RGBA or BGRA");
}

Status Swapchain::make_slots(uint32_t frames) {
  slots_.resize(frames);
  for (Slot& slot : slots_) {
    TOOLS_ASSIGN(slot.taken, make_semaphore(device_));
  }
  return {};
}

VkFormat Swapchain::frame_format() const { return is_srgb(format_.format) ? VK_FORMAT_R8G8B8A8_SRGB : VK_FORMAT_R8G8B8A8_UNORM; }

Status Swapchain::make_chain(VkExtent2D window) {
  VkSurfaceCapabilitiesKHR abilities;
  TOOLS_TRY(check(vkGetPhysicalDeviceSurfaceCapabilitiesKHR(device_.physical(), surface_, &abilities),
                  "vkGetPhysicalDeviceSurfaceCapabilitiesKHR"));
  if ((abilities.supportedUsageFlags & VK_IMAGE_USAGE_TRANSFER_DST_BIT) == 0) {
    return fail("images of the window cannot be copied into");
  }
  const bool has_size = abilities.currentExtent.width != std::numeric_limits<uint32_t>::max();
  extent_ = has_size ? abilities.currentExtent
                     : VkExtent2D{std::clamp(window.width, abilities.minImageExtent.width, abilities.maxImageExtent.width),
                                  std::clamp(window.height, abilities.minImageExtent.height, abilities.maxImageExtent.height)};
  if (extent_.width == 0 || extent_.height == 0) return {};
  if (chain_ != VK_NULL_HANDLE) old_chains_.push_back(chain_);
  old_images_.insert(old_images_.end(), images_.begin(), images_.end());
  images_.clear();

  auto info = make<VkSwapchainCreateInfoKHR>(VK_STRUCTURE_TYPE_SWAPCHAIN_CREATE_INFO_KHR);
  info.surface = surface_;
  info.minImageCount = abilities.minImageCount + 1;
  if (abilities.maxImageCount != 0) info.minImageCount = std::min(info.minImageCount, abilities.maxImageCount);
  info.imageFormat = format_.format;
  info.imageColorSpace = format_.colorSpace;
  info.imageExtent = extent_;
  info.imageArrayLayers = 1;
  info.imageUsage = VK_IMAGE_USAGE_TRANSFER_DST_BIT;
  info.preTransform = abilities.currentTransform;
  const bool opaque = (abilities.supportedCompositeAlpha & VK_COMPOSITE_ALPHA_OPAQUE_BIT_KHR) != 0;
  info.compositeAlpha = opaque ? VK_COMPOSITE_ALPHA_OPAQUE_BIT_KHR : VK_COMPOSITE_ALPHA_INHERIT_BIT_KHR;
  info.presentMode = VK_PRESENT_MODE_FIFO_KHR;
  info.clipped = VK_TRUE;
  info.oldSwapchain = std::exchange(chain_, VK_NULL_HANDLE);
  TOOLS_TRY(check(vkCreateSwapchainKHR(device_.get(), &info, nullptr, &chain_), "vkCreateSwapchainKHR"));

  uint32_t count = 0;
  TOOLS_TRY(check(vkGetSwapchainImagesKHR(device_.get(), chain_, &count, nullptr), "vkGetSwapchainImagesKHR"));
  std::vector<VkImage> images(count);
  TOOLS_TRY(check(vkGetSwapchainImagesKHR(device_.get(), chain_, &count, images.data()), "vkGetSwapchainImagesKHR"));
  for (const VkImage image : images) {
    TOOLS_ASSIGN(const VkSemaphore drawn, make_semaphore(device_));
    images_.push_back({image, drawn});
  }
  is_outdated_ = false;
  return {};
}

Result<bool> Swapchain::acquire(uint32_t slot, VkExtent2D window) {
  if (window.width == 0 || window.height == 0) return false;
  if (window.width != extent_.width || window.height != extent_.height) is_outdated_ = true;
  constexpr int kMostTries = 3;  // while the window is being resized, a new chain may already be outdated
  for (int i = 0; i < kMostTries; ++i) {
    if (is_outdated_) TOOLS_TRY(make_chain(window));
    if (is_outdated_) return false;  // it has no area
    const VkResult taken = vkAcquireNextImageKHR(device_.get(), chain_, UINT64_MAX, slots_[slot].taken, VK_NULL_HANDLE, &image_);
    if (taken != VK_ERROR_OUT_OF_DATE_KHR) {
      is_outdated_ = taken == VK_SUBOPTIMAL_KHR;
      if (!is_outdated_) TOOLS_TRY(check(taken, "vkAcquireNextImageKHR"));
      return true;
    }
    is_outdated_ = true;
  }
  return false;
}

void Swapchain::record(VkCommandBuffer commands, const Image& frame) const {
  const VkImage image = images_[image_].image;
  // Depends on the transfer stage, which waits for `taken`, so that the layout does not change while the image is on the screen.
  constexpr VkPipelineStageFlags kTransfer = VK_PIPELINE_STAGE_TRANSFER_BIT;
  change_layout(commands, image, kTransfer, kTransfer,
                {VK_IMAGE_LAYOUT_UNDEFINED, 0, VK_IMAGE_LAYOUT_TRANSFER_DST_OPTIMAL, VK_ACCESS_TRANSFER_WRITE_BIT});
  const VkImageBlit stretch{kColour, {{}, corner(frame_)}, kColour, {{}, corner(extent_)}};
  vkCmdBlitImage(commands, frame.get(), VK_IMAGE_LAYOUT_TRANSFER_SRC_OPTIMAL, image, VK_IMAGE_LAYOUT_TRANSFER_DST_OPTIMAL, 1,
                 &stretch, VK_FILTER_LINEAR);
  change_layout(commands, image, kTransfer, VK_PIPELINE_STAGE_BOTTOM_OF_PIPE_BIT,
                {VK_IMAGE_LAYOUT_TRANSFER_DST_OPTIMAL, VK_ACCESS_TRANSFER_WRITE_BIT, VK_IMAGE_LAYOUT_PRESENT_SRC_KHR, 0});
}

Status Swapchain::present() {
  const VkSemaphore drawn = this->drawn();
  auto info = make<VkPresentInfoKHR>(VK_STRUCTURE_TYPE_PRESENT_INFO_KHR);
  info.waitSemaphoreCount = 1;
  info.pWaitSemaphores = &drawn;
  info.swapchainCount = 1;
  info.pSwapchains = &chain_;
  info.pImageIndices = &image_;
  const VkResult shown = device_.present(info);
  if (shown == VK_SUBOPTIMAL_KHR || shown == VK_ERROR_OUT_OF_DATE_KHR) {
    is_outdated_ = true;
    return {};
  }
  return check(shown, "vkQueuePresentKHR");
}

}  // namespace nnvk::game
