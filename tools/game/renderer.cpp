#include "tools/game/renderer.h"

#include <algorithm>
#include <array>
#include <vector>

#include "scene_frag.h"  // compiled from shaders/
#include "scene_guides_frag.h"
#include "scene_guides_vert.h"
#include "scene_vert.h"

namespace nnvk::game {
namespace {

constexpr VkFormat kColourFormat = VK_FORMAT_R8G8B8A8_UNORM;
constexpr VkFormat kDepthGuideFormat = VK_FORMAT_R16_SFLOAT;
constexpr VkFormat kMotionGuideFormat = VK_FORMAT_R16G16B16A16_SFLOAT;
constexpr VkFormat kDepthFormat = VK_FORMAT_D16_UNORM;
constexpr float kMostAspect = 4;  // a wider picture shows the scene stretched
constexpr uint32_t kCorners = 36;
constexpr uint32_t kCubes = 8;

// The push constants. They must match the declaration in the shaders.
struct PushConstants {
  float time;
  float aspect;
  float before;
};

// Returns the formats of the pictures in the order of the attachments, before the depth buffer.
std::vector<VkFormat> picture_formats(Outputs outputs) {
  if (outputs == Outputs::kColour) return {kColourFormat};
  return {kColourFormat, kDepthGuideFormat, kMotionGuideFormat};
}

}  // namespace

void change_layout(VkCommandBuffer commands, VkImage image, VkPipelineStageFlags before, VkPipelineStageFlags after,
                   const LayoutChange& change) {
  auto barrier = make<VkImageMemoryBarrier>(VK_STRUCTURE_TYPE_IMAGE_MEMORY_BARRIER);
  barrier.srcAccessMask = change.written;
  barrier.dstAccessMask = change.used;
  barrier.oldLayout = change.from;
  barrier.newLayout = change.to;
  barrier.srcQueueFamilyIndex = barrier.dstQueueFamilyIndex = VK_QUEUE_FAMILY_IGNORED;
  barrier.image = image;
  barrier.subresourceRange = {VK_IMAGE_ASPECT_COLOR_BIT, 0, 1, 0, 1};
  vkCmdPipelineBarrier(commands, before, after, 0, 0, nullptr, 0, nullptr, 1, &barrier);
}

void barrier(VkCommandBuffer commands, VkPipelineStageFlags from, VkAccessFlags written, VkPipelineStageFlags to,
             VkAccessFlags used) {
  auto memory = make<VkMemoryBarrier>(VK_STRUCTURE_TYPE_MEMORY_BARRIER);
  memory.srcAccessMask = written;
  memory.dstAccessMask = used;
  vkCmdPipelineBarrier(commands, from, to, 0, 1, &memory, 0, nullptr, 0, nullptr);
}

Result<std::unique_ptr<Renderer>> Renderer::create(const Device& device, Outputs outputs, const Readers& readers) {
  std::unique_ptr<Renderer> renderer(new Renderer(device, outputs));
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
  VkAttachmentDescription plain{};
  plain.samples = VK_SAMPLE_COUNT_1_BIT;
  plain.loadOp = VK_ATTACHMENT_LOAD_OP_CLEAR;
  plain.stencilLoadOp = VK_ATTACHMENT_LOAD_OP_DONT_CARE;
  plain.stencilStoreOp = VK_ATTACHMENT_STORE_OP_DONT_CARE;
  std::vector<VkAttachmentDescription> attachments;
  std::vector<VkAttachmentReference> pictures;
  for (const VkFormat format : picture_formats(outputs_)) {
    pictures.push_back({static_cast<uint32_t>(attachments.size()), VK_IMAGE_LAYOUT_COLOR_ATTACHMENT_OPTIMAL});
    VkAttachmentDescription& picture = attachments.emplace_back(plain);
    picture.format = format;
    picture.storeOp = VK_ATTACHMENT_STORE_OP_STORE;
    picture.finalLayout = kDrawnLayout;
  }
  const VkAttachmentReference depth{static_cast<uint32_t>(attachments.size()), VK_IMAGE_LAYOUT_DEPTH_STENCIL_ATTACHMENT_OPTIMAL};
  VkAttachmentDescription& depth_buffer = attachments.emplace_back(plain);
  depth_buffer.format = kDepthFormat;
  depth_buffer.storeOp = VK_ATTACHMENT_STORE_OP_DONT_CARE;
  depth_buffer.finalLayout = VK_IMAGE_LAYOUT_DEPTH_STENCIL_ATTACHMENT_OPTIMAL;
  VkSubpassDescription subpass{};
  subpass.pipelineBindPoint = VK_PIPELINE_BIND_POINT_GRAPHICS;
  subpass.colorAttachmentCount = static_cast<uint32_t>(pictures.size());
  subpass.pColorAttachments = pictures.data();
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
  const bool has_guides = outputs_ == Outputs::kGuides;
  TOOLS_ASSIGN(const VkShaderModule vertex, has_guides ? device_.shader(scene_guides_vert, sizeof scene_guides_vert)
                                                       : device_.shader(scene_vert, sizeof scene_vert));
  TOOLS_ASSIGN(const VkShaderModule fragment, has_guides ? device_.shader(scene_guides_frag, sizeof scene_guides_frag)
                                                         : device_.shader(scene_frag, sizeof scene_frag));
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
  auto view = make<VkPipelineViewportStateCreateInfo>(VK_STRUCTURE_TYPE_PIPELINE_VIEWPORT_STATE_CREATE_INFO);
  view.viewportCount = 1;
  view.scissorCount = 1;
  // Images of all sizes share the pipeline.
  constexpr std::array kDynamic{VK_DYNAMIC_STATE_VIEWPORT, VK_DYNAMIC_STATE_SCISSOR};
  auto dynamic = make<VkPipelineDynamicStateCreateInfo>(VK_STRUCTURE_TYPE_PIPELINE_DYNAMIC_STATE_CREATE_INFO);
  dynamic.dynamicStateCount = static_cast<uint32_t>(kDynamic.size());
  dynamic.pDynamicStates = kDynamic.data();
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
  const std::vector<VkPipelineColorBlendAttachmentState> blends(picture_formats(outputs_).size(), all_channels);
  blend.attachmentCount = static_cast<uint32_t>(blends.size());
  blend.pAttachments = blends.data();
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
  info.pDynamicState = &dynamic;
  info.layout = layout_;
  info.renderPass = render_pass_;
  const VkResult made = vkCreateGraphicsPipelines(device, VK_NULL_HANDLE, 1, &info, nullptr, &scene_);
  vkDestroyShaderModule(device, vertex, nullptr);
  vkDestroyShaderModule(device, fragment, nullptr);
  return check(made, "vkCreateGraphicsPipelines");
}

Result<FrameImages> Renderer::make_images(VkExtent2D size, VkImageUsageFlags usage) const {
  FrameImages images;
  const std::array<Image*, 3> pictures{&images.colour, &images.depth_guide, &images.motion_guide};
  std::vector<VkImageView> attachments;
  for (const VkFormat format : picture_formats(outputs_)) {
    Image& picture = *pictures[attachments.size()];
    TOOLS_ASSIGN(picture,
                 Image::create(device_, size, format, VK_IMAGE_USAGE_COLOR_ATTACHMENT_BIT | usage, VK_IMAGE_ASPECT_COLOR_BIT));
    attachments.push_back(picture.view());
  }
  TOOLS_ASSIGN(images.depth, Image::create(device_, size, kDepthFormat, VK_IMAGE_USAGE_DEPTH_STENCIL_ATTACHMENT_BIT,
                                           VK_IMAGE_ASPECT_DEPTH_BIT));
  attachments.push_back(images.depth.view());
  auto framebuffer = make<VkFramebufferCreateInfo>(VK_STRUCTURE_TYPE_FRAMEBUFFER_CREATE_INFO);
  framebuffer.renderPass = render_pass_;
  framebuffer.attachmentCount = static_cast<uint32_t>(attachments.size());
  framebuffer.pAttachments = attachments.data();
  framebuffer.width = size.width;
  framebuffer.height = size.height;
  framebuffer.layers = 1;
  TOOLS_TRY(check(vkCreateFramebuffer(device_.get(), &framebuffer, nullptr, &images.framebuffer), "vkCreateFramebuffer"));
  return images;
}

void Renderer::free_images(FrameImages& images) const {
  vkDestroyFramebuffer(device_.get(), images.framebuffer, nullptr);
  images = {};
}

void Renderer::draw(VkCommandBuffer commands, const FrameImages& images, float time, float before) const {
  const VkExtent2D size = images.colour.size();
  std::vector<VkClearValue> clear(picture_formats(outputs_).size() + 1);
  clear.front().color = {{0.62F, 0.72F, 0.85F, 1.0F}};
  if (outputs_ == Outputs::kGuides) clear[1].color = {{1.0F, 0.0F, 0.0F, 1.0F}};
  clear.back().depthStencil = {1.0F, 0};
  auto begin = make<VkRenderPassBeginInfo>(VK_STRUCTURE_TYPE_RENDER_PASS_BEGIN_INFO);
  begin.renderPass = render_pass_;
  begin.framebuffer = images.framebuffer;
  begin.renderArea = {{0, 0}, size};
  begin.clearValueCount = static_cast<uint32_t>(clear.size());
  begin.pClearValues = clear.data();
  const VkViewport viewport{0, 0, static_cast<float>(size.width), static_cast<float>(size.height), 0, 1};
  const VkRect2D scissor{{0, 0}, size};
  vkCmdSetViewport(commands, 0, 1, &viewport);
  vkCmdSetScissor(commands, 0, 1, &scissor);
  vkCmdBeginRenderPass(commands, &begin, VK_SUBPASS_CONTENTS_INLINE);
  vkCmdBindPipeline(commands, VK_PIPELINE_BIND_POINT_GRAPHICS, scene_);
  PushConstants constants{};
  constants.time = time;
  constants.aspect = std::min(static_cast<float>(size.width) / static_cast<float>(size.height), kMostAspect);
  constants.before = before;
  vkCmdPushConstants(commands, layout_, VK_SHADER_STAGE_VERTEX_BIT, 0, sizeof constants, &constants);
  vkCmdDraw(commands, kCorners, 1 + kCubes, 0, 0);
  vkCmdEndRenderPass(commands);  // its dependency makes the picture visible to its readers
}

}  // namespace nnvk::game
