#include "tools/game/renderer.h"

#include <array>

#include "scene_frag.h"  // compiled from shaders/
#include "scene_vert.h"

namespace nnvk::game {
namespace {

constexpr VkFormat kColourFormat = VK_FORMAT_R8G8B8A8_UNORM;
constexpr VkFormat kDepthFormat = VK_FORMAT_D16_UNORM;
constexpr uint32_t kCorners = 36;
constexpr uint32_t kCubes = 8;

// The push constants. They must match the declaration in the shaders.
struct PushConstants {
  float time;
  float aspect;
};

}  // namespace

void barrier(VkCommandBuffer commands, VkPipelineStageFlags from, VkAccessFlags written, VkPipelineStageFlags to,
             VkAccessFlags used) {
  auto memory = make<VkMemoryBarrier>(VK_STRUCTURE_TYPE_MEMORY_BARRIER);
  memory.srcAccessMask = written;
  memory.dstAccessMask = used;
  vkCmdPipelineBarrier(commands, from, to, 0, 1, &memory, 0, nullptr, 0, nullptr);
}

Result<std::unique_ptr<Renderer>> Renderer::create(const Device& device, VkExtent2D size, const Readers& readers) {
  std::unique_ptr<Renderer> renderer(new Renderer(device, size));
  TOOLS_TRY(renderer->make_render_pass(readers));
  TOOLS_TRY(renderer->make_scene_pipeline());
  return renderer;
}

Renderer::~Renderer() {
  const VkDevice device = device_.get();
  vkDestroyPipeline(device, scene_, nullptr);
  vkDestroyPipelineLayout(device, layout_, nullptr);
  vkDestroyRenderPass(device, render_pass_, nullptr);
}

Status Renderer::make_render_pass(const Readers& readers) {
  std::array<VkAttachmentDescription, 2> attachments{};
  for (VkAttachmentDescription& attachment : attachments) {
    attachment.samples = VK_SAMPLE_COUNT_1_BIT;
    attachment.loadOp = VK_ATTACHMENT_LOAD_OP_CLEAR;
    attachment.storeOp = VK_ATTACHMENT_STORE_OP_DONT_CARE;
    attachment.stencilLoadOp = VK_ATTACHMENT_LOAD_OP_DONT_CARE;
    attachment.stencilStoreOp = VK_ATTACHMENT_STORE_OP_DONT_CARE;
  }
  attachments[0].format = kColourFormat;
  attachments[0].storeOp = VK_ATTACHMENT_STORE_OP_STORE;
  attachments[0].finalLayout = kDrawnLayout;
  attachments[1].format = kDepthFormat;
  attachments[1].finalLayout = VK_IMAGE_LAYOUT_DEPTH_STENCIL_ATTACHMENT_OPTIMAL;
  const VkAttachmentReference colour{0, VK_IMAGE_LAYOUT_COLOR_ATTACHMENT_OPTIMAL};
  const VkAttachmentReference depth{1, VK_IMAGE_LAYOUT_DEPTH_STENCIL_ATTACHMENT_OPTIMAL};
  VkSubpassDescription subpass{};
  subpass.pipelineBindPoint = VK_PIPELINE_BIND_POINT_GRAPHICS;
  subpass.colorAttachmentCount = 1;
  subpass.pColorAttachments = &colour;
  subpass.pDepthStencilAttachment = &depth;
  constexpr VkPipelineStageFlags kTests = VK_PIPELINE_STAGE_EARLY_FRAGMENT_TESTS_BIT | VK_PIPELINE_STAGE_LATE_FRAGMENT_TESTS_BIT;
  const std::array<VkSubpassDependency, 2> dependencies{{
      // The game has waited for the fence of the frame that used these images before. The layouts change here.
      {VK_SUBPASS_EXTERNAL, 0, VK_PIPELINE_STAGE_COLOR_ATTACHMENT_OUTPUT_BIT | kTests,
       VK_PIPELINE_STAGE_COLOR_ATTACHMENT_OUTPUT_BIT | kTests, VK_ACCESS_DEPTH_STENCIL_ATTACHMENT_WRITE_BIT,
       VK_ACCESS_COLOR_ATTACHMENT_WRITE_BIT | VK_ACCESS_DEPTH_STENCIL_ATTACHMENT_READ_BIT |
           VK_ACCESS_DEPTH_STENCIL_ATTACHMENT_WRITE_BIT,
       0},
      {0, VK_SUBPASS_EXTERNAL, VK_PIPELINE_STAGE_COLOR_ATTACHMENT_OUTPUT_BIT, readers.stages,
       VK_ACCESS_COLOR_ATTACHMENT_WRITE_BIT, readers.access, 0},
  }};
  auto info = make<VkRenderPassCreateInfo>(VK_STRUCTURE_TYPE_RENDER_PASS_CREATE_INFO);
  info.attachmentCount = static_cast<uint32_t>(attachments.size());
  info.pAttachments = attachments.data();
  info.subpassCount = 1;
  info.pSubpasses = &subpass;
  info.dependencyCount = static_cast<uint32_t>(dependencies.size());
  info.pDependencies = dependencies.data();
  return check(vkCreateRenderPass(device_.get(), &info, nullptr, &render_pass_), "vkCreateRenderPass");
}

Status Renderer::make_scene_pipeline() {
  const VkDevice device = device_.get();
  const VkPushConstantRange range{VK_SHADER_STAGE_VERTEX_BIT, 0, sizeof(PushConstants)};
  auto layout = make<VkPipelineLayoutCreateInfo>(VK_STRUCTURE_TYPE_PIPELINE_LAYOUT_CREATE_INFO);
  layout.pushConstantRangeCount = 1;
  layout.pPushConstantRanges = &range;
  TOOLS_TRY(check(vkCreatePipelineLayout(device, &layout, nullptr, &layout_), "vkCreatePipelineLayout"));
  TOOLS_ASSIGN(const VkShaderModule vertex, device_.shader(scene_vert, sizeof scene_vert));
  TOOLS_ASSIGN(const VkShaderModule fragment, device_.shader(scene_frag, sizeof scene_frag));
  std::array<VkPipelineShaderStageCreateInfo, 2> stages{};
  stages.fill(make<VkPipelineShaderStageCreateInfo>(VK_STRUCTURE_TYPE_PIPELINE_SHADER_STAGE_CREATE_INFO));
  stages[0].stage = VK_SHADER_STAGE_VERTEX_BIT;
  stages[0].module = vertex;
  stages[1].stage = VK_SHADER_STAGE_FRAGMENT_BIT;
  stages[1].module = fragment;
  for (VkPipelineShaderStageCreateInfo& stage : stages) stage.pName = "main";
  const auto vertices = make<VkPipelineVertexInputStateCreateInfo>(VK_STRUCTURE_TYPE_PIPELINE_VERTEX_INPUT_STATE_CREATE_INFO);
  auto assembly = make<VkPipelineInputAssemblyStateCreateInfo>(VK_STRUCTURE_TYPE_PIPELINE_INPUT_ASSEMBLY_STATE_CREATE_INFO);
  assembly.topology = VK_PRIMITIVE_TOPOLOGY_TRIANGLE_LIST;
  const VkViewport viewport{0, 0, static_cast<float>(size_.width), static_cast<float>(size_.height), 0, 1};
  const VkRect2D scissor{{0, 0}, size_};
  auto view = make<VkPipelineViewportStateCreateInfo>(VK_STRUCTURE_TYPE_PIPELINE_VIEWPORT_STATE_CREATE_INFO);
  view.viewportCount = 1;
  view.pViewports = &viewport;
  view.scissorCount = 1;
  view.pScissors = &scissor;
  auto raster = make<VkPipelineRasterizationStateCreateInfo>(VK_STRUCTURE_TYPE_PIPELINE_RASTERIZATION_STATE_CREATE_INFO);
  raster.cullMode = VK_CULL_MODE_NONE;
  raster.lineWidth = 1;
  auto samples = make<VkPipelineMultisampleStateCreateInfo>(VK_STRUCTURE_TYPE_PIPELINE_MULTISAMPLE_STATE_CREATE_INFO);
  samples.rasterizationSamples = VK_SAMPLE_COUNT_1_BIT;
  auto depth = make<VkPipelineDepthStencilStateCreateInfo>(VK_STRUCTURE_TYPE_PIPELINE_DEPTH_STENCIL_STATE_CREATE_INFO);
  depth.depthTestEnable = VK_TRUE;
  depth.depthWriteEnable = VK_TRUE;
  depth.depthCompareOp = VK_COMPARE_OP_LESS;
  VkPipelineColorBlendAttachmentState all_channels{};
  all_channels.colorWriteMask = 0xF;
  auto blend = make<VkPipelineColorBlendStateCreateInfo>(VK_STRUCTURE_TYPE_PIPELINE_COLOR_BLEND_STATE_CREATE_INFO);
  blend.attachmentCount = 1;
  blend.pAttachments = &all_channels;
  auto info = make<VkGraphicsPipelineCreateInfo>(VK_STRUCTURE_TYPE_GRAPHICS_PIPELINE_CREATE_INFO);
  info.stageCount = static_cast<uint32_t>(stages.size());
  info.pStages = stages.data();
  info.pVertexInputState = &vertices;
  info.pInputAssemblyState = &assembly;
  info.pViewportState = &view;
  info.pRasterizationState = &raster;
  info.pMultisampleState = &samples;
  info.pDepthStencilState = &depth;
  info.pColorBlendState = &blend;
  info.layout = layout_;
  info.renderPass = render_pass_;
  const VkResult made = vkCreateGraphicsPipelines(device, VK_NULL_HANDLE, 1, &info, nullptr, &scene_);
  vkDestroyShaderModule(device, vertex, nullptr);
  vkDestroyShaderModule(device, fragment, nullptr);
  return check(made, "vkCreateGraphicsPipelines");
}

Result<FrameImages> Renderer::make_images(VkImageUsageFlags usage) {
  const VkDevice device = device_.get();
  FrameImages images;
  TOOLS_ASSIGN(images.colour, Image::create(device_, size_, kColourFormat, VK_IMAGE_USAGE_COLOR_ATTACHMENT_BIT | usage,
                                            VK_IMAGE_ASPECT_COLOR_BIT));
  TOOLS_ASSIGN(images.depth, Image::create(device_, size_, kDepthFormat, VK_IMAGE_USAGE_DEPTH_STENCIL_ATTACHMENT_BIT,
                                           VK_IMAGE_ASPECT_DEPTH_BIT));
  const std::array<VkImageView, 2> attachments{images.colour.view(), images.depth.view()};
  auto framebuffer = make<VkFramebufferCreateInfo>(VK_STRUCTURE_TYPE_FRAMEBUFFER_CREATE_INFO);
  framebuffer.renderPass = render_pass_;
  framebuffer.attachmentCount = static_cast<uint32_t>(attachments.size());
  framebuffer.pAttachments = attachments.data();
  framebuffer.width = size_.width;
  framebuffer.height = size_.height;
  framebuffer.layers = 1;
  TOOLS_TRY(check(vkCreateFramebuffer(device, &framebuffer, nullptr, &images.framebuffer), "vkCreateFramebuffer"));
  return images;
}

void Renderer::free_images(FrameImages& images) {
  vkDestroyFramebuffer(device_.get(), images.framebuffer, nullptr);
  images = {};
}

void Renderer::draw(VkCommandBuffer commands, const FrameImages& images, float time) const {
  std::array<VkClearValue, 2> clear{};
  clear[0].color = {{0.62F, 0.72F, 0.85F, 1.0F}};
  clear[1].depthStencil = {1.0F, 0};
  auto begin = make<VkRenderPassBeginInfo>(VK_STRUCTURE_TYPE_RENDER_PASS_BEGIN_INFO);
  begin.renderPass = render_pass_;
  begin.framebuffer = images.framebuffer;
  begin.renderArea = {{0, 0}, size_};
  begin.clearValueCount = static_cast<uint32_t>(clear.size());
  begin.pClearValues = clear.data();
  vkCmdBeginRenderPass(commands, &begin, VK_SUBPASS_CONTENTS_INLINE);
  vkCmdBindPipeline(commands, VK_PIPELINE_BIND_POINT_GRAPHICS, scene_);
  PushConstants constants{};
  constants.time = time;
  constants.aspect = static_cast<float>(size_.width) / static_cast<float>(size_.height);
  vkCmdPushConstants(commands, layout_, VK_SHADER_STAGE_VERTEX_BIT, 0, sizeof constants, &constants);
  vkCmdDraw(commands, kCorners, 1 + kCubes, 0, 0);
  vkCmdEndRenderPass(commands);  // its dependency makes the picture visible to its readers
}

}  // namespace nnvk::game
