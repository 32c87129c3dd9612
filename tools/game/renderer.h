// The game's own drawing: records the scene at low resolution into a command buffer.
#pragma once

#include <memory>

#include "tools/game/device.h"

namespace nnvk::game {

// The renderer's images and framebuffer for one frame in flight.
struct FrameImages {
  Image colour;
  Image depth;
  VkFramebuffer framebuffer = VK_NULL_HANDLE;
};

class Renderer {
 public:
  // The layout of drawn pictures, and the stages and accesses that may read them.
  static constexpr VkImageLayout kDrawnLayout = VK_IMAGE_LAYOUT_TRANSFER_SRC_OPTIMAL;
  struct Readers {
    VkPipelineStageFlags stages;
    VkAccessFlags access;
  };
  // Makes a renderer that draws scenes of `size`.
  static Result<std::unique_ptr<Renderer>> create(const Device& device, VkExtent2D size, const Readers& readers);
  ~Renderer();
  Renderer(const Renderer&) = delete;
  Renderer& operator=(const Renderer&) = delete;

  // Makes the images of a frame. `usage`: the picture's usage besides drawing into it.
  Result<FrameImages> make_images(VkImageUsageFlags usage);
  void free_images(FrameImages& images);

  // Draws the scene at `time` seconds. Later commands may read the picture (Readers); earlier readers must have finished.
  void draw(VkCommandBuffer commands, const FrameImages& images, float time) const;

 private:
  Renderer(const Device& device, VkExtent2D size) : device_(device), size_(size) {}
  Status make_render_pass(const Readers& readers);
  Status make_scene_pipeline();

  const Device& device_;
  const VkExtent2D size_;
  VkRenderPass render_pass_ = VK_NULL_HANDLE;
  VkPipelineLayout layout_ = VK_NULL_HANDLE;
  VkPipeline scene_ = VK_NULL_HANDLE;
};

// Records a barrier for all memory.
void barrier(VkCommandBuffer commands, VkPipelineStageFlags from, VkAccessFlags written, VkPipelineStageFlags to,
             VkAccessFlags used);

}  // namespace nnvk::game
