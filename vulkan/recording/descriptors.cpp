#include "vulkan/recording/descriptors.h"

#include <algorithm>
#include <numeric>

#include "vulkan/context/texel_format.h"
#include "vulkan/context/vulkan_forms.h"
#include "vulkan/kernels/kernel_choice.h"

namespace nnvk::vulkan {
namespace {

bool binds_texels(const ProgramDispatch& dispatch, size_t binding) {
  return is_texel_binding(dispatch.variant, kernel_info(dispatch.dispatch.kernel).bindings[binding].kind);
}

}  // namespace

Descriptors::~Descriptors() {
  const VolkDeviceTable& vk = context_->vk();
  vk.vkDestroyDescriptorPool(context_->device(), pool_, context_->allocator());
  for (const auto& [key, view] : views_) vk.vkDestroyBufferView(context_->device(), view, context_->allocator());
}

std::vector<PipelineKey> pipeline_keys(const DispatchProgram& program) {
  std::vector<PipelineKey> keys;
  for (const ProgramDispatch& dispatch : program.dispatches) keys.push_back(pipeline_key(dispatch.dispatch, dispatch.variant));
  return keys;
}

std::vector<uint32_t> dispatches_that_touch_io(const DispatchProgram& program, bool touch) {
  std::vector<uint32_t> chosen;
  for (uint32_t d = 0; d < program.dispatches.size(); ++d) {
    const auto is_io = [](const Location& l) { return l.region == Region::kIo && l.index != kNoIoTensor; };
    if (std::ranges::any_of(program.dispatches[d].locations, is_io) == touch) chosen.push_back(d);
  }
  return chosen;
}

std::vector<uint32_t> all_dispatches(const DispatchProgram& program) {
  std::vector<uint32_t> all(program.dispatches.size());
  std::iota(all.begin(), all.end(), 0);
  return all;
}

Result<std::unique_ptr<Descriptors>> Descriptors::create(std::shared_ptr<Context> context, const RunnableProgram& runnable,
                                                         std::vector<uint32_t> chosen, const DescriptorTargets& targets,
                                                         Activity& activity) {
  std::unique_ptr<Descriptors> descriptors(new Descriptors(std::move(context), std::move(chosen)));
  if (descriptors->chosen_.empty()) return descriptors;
  NNVK_TRY(descriptors->allocate(runnable));
  for (size_t i = 0; i < descriptors->chosen_.size(); ++i) {
    NNVK_TRY(descriptors->write(runnable.program.dispatches[descriptors->chosen_[i]], descriptors->sets_[i], targets));
  }
  activity.descriptor_sets_written.fetch_add(descriptors->chosen_.size(), std::memory_order_relaxed);
  return descriptors;
}

void Descriptors::fill(std::span<VkDescriptorSet> sets) const {
  for (size_t i = 0; i < chosen_.size(); ++i) sets[chosen_[i]] = sets_[i];
}

Status Descriptors::allocate(const RunnableProgram& runnable) {
  uint32_t texel_count = 0;
  uint32_t storage_count = 0;
  std::vector<VkDescriptorSetLayout> layouts;
  for (const uint32_t d : chosen_) {
    const ProgramDispatch& dispatch = runnable.program.dispatches[d];
    for (size_t b = 0; b < dispatch.locations.size(); ++b) ++(binds_texels(dispatch, b) ? texel_count : storage_count);
    layouts.push_back(runnable.pipelines[d]->set_layout);
  }
  std::vector<VkDescriptorPoolSize> sizes;
  if (texel_count > 0) sizes.push_back({VK_DESCRIPTOR_TYPE_UNIFORM_TEXEL_BUFFER, texel_count});
  if (storage_count > 0) sizes.push_back({VK_DESCRIPTOR_TYPE_STORAGE_BUFFER, storage_count});
  auto info = vulkan_struct<VkDescriptorPoolCreateInfo>(VK_STRUCTURE_TYPE_DESCRIPTOR_POOL_CREATE_INFO);
  info.maxSets = static_cast<uint32_t>(chosen_.size());
  info.poolSizeCount = static_cast<uint32_t>(sizes.size());
  info.pPoolSizes = sizes.data();
  NNVK_TRY(NNVK_CREATE(*context_, vkCreateDescriptorPool, info, pool_));

  auto allocation = vulkan_struct<VkDescriptorSetAllocateInfo>(VK_STRUCTURE_TYPE_DESCRIPTOR_SET_ALLOCATE_INFO);
  allocation.descriptorPool = pool_;
  allocation.descriptorSetCount = static_cast<uint32_t>(layouts.size());
  allocation.pSetLayouts = layouts.data();
  sets_.resize(layouts.size());
  return context_->status(context_->vk().vkAllocateDescriptorSets(context_->device(), &allocation, sets_.data()),
                          "vkAllocateDescriptorSets");
}

Result<VkBufferView> Descriptors::view(VkBuffer buffer, uint64_t offset, uint64_t size, VkFormat format) {
  VkBufferView& view = views_[{buffer, offset, size, format}];
  if (view != VK_NULL_HANDLE) return view;
  auto info = vulkan_struct<VkBufferViewCreateInfo>(VK_STRUCTURE_TYPE_BUFFER_VIEW_CREATE_INFO);
  info.buffer = buffer;
  info.format = format;
  info.offset = offset;
  info.range = size;
  NNVK_TRY(NNVK_CREATE(*context_, vkCreateBufferView, info, view));
  return view;
}

Status Descriptors::write(const ProgramDispatch& dispatch, VkDescriptorSet set, const DescriptorTargets& targets) {
  const auto place = [&](const Location& location) -> ConstantPlace {
    switch (location.region) {
      case Region::kArena:
        return {targets.regions.arena, targets.regions.arena_offset + location.offset};
      case Region::kIo:
        if (location.index < targets.io.size() && targets.io[location.index].access == IoAccess::kDirect) {
          return {targets.io[location.index].memory->handle(), targets.io[location.index].offset};
        }
        return {targets.regions.io, location.offset - targets.regions.io_begin};
      case Region::kLocal:
        return {targets.regions.local, location.offset};
      case Region::kConstant:
        break;
    }
    const ConstantPlace& constant = targets.constants[location.index];
    return {constant.buffer, constant.offset + location.offset};
  };
  const size_t count = dispatch.locations.size();
  std::vector<VkDescriptorBufferInfo> infos(count);
  std::vector<VkBufferView> views(count);
  std::vector<VkWriteDescriptorSet> writes(count);
  for (size_t b = 0; b < count; ++b) {
    const ConstantPlace where = place(dispatch.locations[b]);
    const uint64_t size = padded_size(dispatch.locations[b].size);
    VkWriteDescriptorSet& write = writes[b];
    write.sType = VK_STRUCTURE_TYPE_WRITE_DESCRIPTOR_SET;
    write.dstSet = set;
    write.dstBinding = static_cast<uint32_t>(b);
    write.descriptorCount = 1;
    if (binds_texels(dispatch, b)) {
      NNVK_ASSIGN(views[b], view(where.buffer, where.offset, size, vk_format(dispatch.dispatch.bindings[b].format)));
      write.descriptorType = VK_DESCRIPTOR_TYPE_UNIFORM_TEXEL_BUFFER;
      write.pTexelBufferView = &views[b];
    } else {
      infos[b] = {where.buffer, where.offset, size};
      write.descriptorType = VK_DESCRIPTOR_TYPE_STORAGE_BUFFER;
      write.pBufferInfo = &infos[b];
    }
  }
  context_->vk().vkUpdateDescriptorSets(context_->device(), static_cast<uint32_t>(count), writes.data(), 0, nullptr);
  return {};
}

}  // namespace nnvk::vulkan
