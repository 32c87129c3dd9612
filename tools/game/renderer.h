// The game's own drawing: records the scene at low resolution into a command buffer.
#pragma once

#include <memory>

#include "tools/game/device.h"

namespace nnvk::game {

// The renderer's images and framebuffer for one frame in flight.
struct FrameImages {
  Image colour;
  Image depth;
  Image depth_guide;   // with Outputs::kGuides: the depth, half precision, 0 at the camera
  Image motion_guide;  // with Outputs::kGuides: x and y since the frame before in parts of the picture, 0, half precision
  VkFramebuffer framebuffer = VK_NULL_HANDLE;
};

// The pictures that a renderer draws.
enum class Outputs : uint8_t {
  kColour,
  kGuides,  // also depth and motion, for networks
};

class Renderer {
 public:
  // The layout of drawn pictures, and the stages and accesses that may read them.
  static constexpr VkImageLayout kDrawnLayout = VK_IMAGE_LAYOUT_TRANSFER_SRC_OPTIMAL;
  struct Readers {
    VkPipelineStageFlags stages;
    VkAccessFlags access;
  };
  static Result<std::unique_ptr<Renderer>> create(const Device& device, Outputs outputs, const Readers& readers);
  ~Renderer();
  Renderer(const Renderer&) = delete;
  Renderer& operator=(const Renderer&) = delete;

  // Makes the images of a frame of this size. `usage`: the pictures' usage besides drawing into them.
  Result<FrameImages> make_images(VkExtent2D size, VkImageUsageFlags usage) const;
  void free_images(FrameImages& images) const;

  // Draws the scene at `time` seconds; the frame before was drawn at `before`. Later commands may read the pictures (Readers);
  // earlier readers must have finished.
  void draw(VkCommandBuffer commands, const FrameImages& images, float time, float before) const;

 private:
  Renderer(const Device& device, Outputs outputs) : device_(device), outputs_(outputs) {}
  Status make_render_pass(const Readers& readers);
  Status make_scene_pipeline();

  const Device& device_;
  const Outputs outputs_;
  VkRenderPass render_pass_ = VK_NULL_HANDLE;
  VkPipelineLayout layout_ = VK_NULL_HANDLE;
  VkPipeline scene_ = VK_NULL_HANDLE;
};

// Records a barrier that changes the layout of an image's only mip level.
struct LayoutChange {
  VkImageLayout from;
  VkAccessFlags written;
  VkImageLayout to;
  VkAccessFlags used;
};
void change_layout(VkCommandBuffer commands, VkImage image, VkPipelineStageFlags before, VkPipelineStageFlags after,
                   const LayoutChange& change);

// Records a barrier for all memory.
void barrier(VkCommandBuffer commands, VkPipelineStageFlags from, VkAccessFlags written, VkPipelineStageFlags to,
             VkAccessFlags used);

}  // namespace nnvk::game
