// What the game draws and computes itself, written into a command buffer: the scene at low resolution, the network's input from
// it, and the frame that is shown from the network's output.
#pragma once

#include <array>
#include <memory>
#include <vector>

#include "tools/game/device.h"

namespace nnvk::game {

// What one frame in flight needs of the renderer.
struct FrameImages {
  Image colour;
  Image depth;
  VkFramebuffer framebuffer = VK_NULL_HANDLE;
  std::array<VkDescriptorSet, 2> sets{};  // to the network, from the network
};

class Renderer {
 public:
  // Draws scenes of `size`; frames that are shown are `shown` large.
  static Result<std::unique_ptr<Renderer>> create(const Device& device, VkExtent2D size, VkExtent2D shown, uint32_t frames);
  ~Renderer();
  Renderer(const Renderer&) = delete;
  Renderer& operator=(const Renderer&) = delete;

  // For a frame that reads and writes these buffers: the network's input and output, and 8-bit RGBA to be shown.
  Result<FrameImages> make_images(const Buffer& input, const Buffer& output, const Buffer& shown);
  void free_images(FrameImages& images);

  // The scene at `time` seconds, and from it the network's input. Its last writes are those of compute shaders.
  void draw(VkCommandBuffer commands, const FrameImages& images, float time) const;
  // The frame that is shown, from the network's output.
  void show(VkCommandBuffer commands, const FrameImages& images) const;

 private:
  Renderer(const Device& device, VkExtent2D size, VkExtent2D shown) : device_(device), size_(size), shown_(shown) {}
  Status make_render_pass();
  Status make_layouts(uint32_t frames);
  Status make_scene_pipeline();
  Result<VkPipeline> make_compute_pipeline(const uint32_t* code, size_t bytes);

  const Device& device_;
  const VkExtent2D size_;
  const VkExtent2D shown_;
  VkRenderPass render_pass_ = VK_NULL_HANDLE;
  VkDescriptorSetLayout set_layout_ = VK_NULL_HANDLE;
  VkDescriptorPool descriptors_ = VK_NULL_HANDLE;
  VkPipelineLayout layout_ = VK_NULL_HANDLE;
  VkPipeline scene_ = VK_NULL_HANDLE;
  VkPipeline to_tensor_ = VK_NULL_HANDLE;
  VkPipeline to_picture_ = VK_NULL_HANDLE;
};

// A barrier for all memory.
void barrier(VkCommandBuffer commands, VkPipelineStageFlags from, VkAccessFlags written, VkPipelineStageFlags to,
             VkAccessFlags used);

}  // namespace nnvk::game
