// The calls that the layer intercepts. Exceeding a limit ends the process. Memory behaves as its reported type demands.
#include <algorithm>
#include <cstring>
#include <string>

#include "tests/vulkan/weak_device_layer/chain.h"
#include "tests/vulkan/weak_device_layer/hanging_queue.h"

namespace nnvk::weak_device {
namespace {

constexpr int kGarbage = 0xd7;  // fills new memory: as a float -4.7e14, as a byte -41, so that no kernel can mistake it for zeros

// Bytes of a texel of the formats that buffers are read with.
uint32_t texel_bytes(VkFormat format) {
  switch (format) {
    case VK_FORMAT_R8_SINT:
    case VK_FORMAT_R8_UINT:
      return 1;
    case VK_FORMAT_R16_SINT:
    case VK_FORMAT_R16_UINT:
    case VK_FORMAT_R16_SFLOAT:
      return 2;
    case VK_FORMAT_R32_SINT:
    case VK_FORMAT_R32_UINT:
    case VK_FORMAT_R32_SFLOAT:
    case VK_FORMAT_R8G8B8A8_SINT:
    case VK_FORMAT_R8G8B8A8_UINT:
      return 4;
    case VK_FORMAT_R16G16B16A16_SINT:
    case VK_FORMAT_R16G16B16A16_SFLOAT:
      return 8;
    case VK_FORMAT_R32G32B32A32_SINT:
    case VK_FORMAT_R32G32B32A32_UINT:
    case VK_FORMAT_R32G32B32A32_SFLOAT:
      return 16;
    default:
      broken("a buffer view of format " + std::to_string(format) + ", whose texels the layer does not know (device_calls.cpp)");
  }
}

const void* find_struct(const void* next, VkStructureType type) {
  for (const auto* s = static_cast<const VkBaseInStructure*>(next); s != nullptr; s = s->pNext) {
    if (s->sType == type) return s;
  }
  return nullptr;
}

VKAPI_ATTR VkResult VKAPI_CALL AllocateMemory(VkDevice device, const VkMemoryAllocateInfo* info,
                                              const VkAllocationCallbacks* allocator, VkDeviceMemory* memory) {
  DeviceBelow& below_us = below(device);
  if (info->memoryTypeIndex >= below_us.memory_types.count()) broken("vkAllocateMemory names a memory type that is not there");
  const VkMemoryPropertyFlags flags = below_us.memory_types.flags(info->memoryTypeIndex);
  const bool imported = find_struct(info->pNext, VK_STRUCTURE_TYPE_IMPORT_MEMORY_HOST_POINTER_INFO_EXT) != nullptr ||
                        find_struct(info->pNext, VK_STRUCTURE_TYPE_IMPORT_MEMORY_FD_INFO_KHR) != nullptr;
  if (imported && (flags & VK_MEMORY_PROPERTY_HOST_VISIBLE_BIT) != 0 && (flags & VK_MEMORY_PROPERTY_HOST_COHERENT_BIT) == 0) {
    broken("client memory imported as memory that is not coherent: nothing would flush it");
  }
  VkMemoryAllocateInfo real = *info;
  real.memoryTypeIndex = below_us.memory_types.real(info->memoryTypeIndex);
  const VkResult result = below_us.AllocateMemory(device, &real, allocator, memory);
  if (result != VK_SUCCESS) return result;
  void* bytes = nullptr;
  if (!imported && weaknesses().has("garbage") &&
      below_us.MapMemory(device, *memory, 0, VK_WHOLE_SIZE, 0, &bytes) == VK_SUCCESS) {
    std::memset(bytes, kGarbage, info->allocationSize);
    below_us.UnmapMemory(device, *memory);
  }
  const std::lock_guard lock(below_us.mutex);
  Allocation& allocation = below_us.allocations[*memory];
  allocation.flags = flags;
  allocation.size = info->allocationSize;
  return result;
}

VKAPI_ATTR void VKAPI_CALL FreeMemory(VkDevice device, VkDeviceMemory memory, const VkAllocationCallbacks* allocator) {
  check_may_destroy(device, "vkFreeMemory");
  DeviceBelow& below_us = below(device);
  {
    const std::lock_guard lock(below_us.mutex);
    below_us.allocations.erase(memory);
  }
  below_us.FreeMemory(device, memory, allocator);
}

VKAPI_ATTR VkResult VKAPI_CALL MapMemory(VkDevice device, VkDeviceMemory memory, VkDeviceSize offset, VkDeviceSize size,
                                         VkMemoryMapFlags flags, void** data) {
  DeviceBelow& below_us = below(device);
  const std::lock_guard lock(below_us.mutex);
  Allocation& allocation = below_us.allocations[memory];
  if ((allocation.flags & VK_MEMORY_PROPERTY_HOST_VISIBLE_BIT) == 0) broken("vkMapMemory of memory that the host cannot map");
  const VkResult result = below_us.MapMemory(device, memory, offset, size, flags, data);
  if (result != VK_SUCCESS || (allocation.flags & VK_MEMORY_PROPERTY_HOST_COHERENT_BIT) != 0) return result;
  // Memory that is not coherent: the host gets a copy, which only flushing and invalidating synchronise with the device's bytes.
  allocation.mapped = static_cast<std::byte*>(*data);
  allocation.offset = offset;
  allocation.length = size == VK_WHOLE_SIZE ? allocation.size - offset : size;
  allocation.shadow = std::make_unique<std::byte[]>(allocation.length);
  std::memset(allocation.shadow.get(), kGarbage, allocation.length);
  *data = allocation.shadow.get();
  return result;
}

VKAPI_ATTR void VKAPI_CALL UnmapMemory(VkDevice device, VkDeviceMemory memory) {
  DeviceBelow& below_us = below(device);
  const std::lock_guard lock(below_us.mutex);
  below_us.allocations[memory].shadow.reset();
  below_us.UnmapMemory(device, memory);
}

// Copies the ranges of non-coherent memory, to the device or from it.
void bring_together(DeviceBelow& below_us, uint32_t count, const VkMappedMemoryRange* ranges, bool to_device) {
  const std::lock_guard lock(below_us.mutex);
  for (uint32_t i = 0; i < count; ++i) {
    Allocation& allocation = below_us.allocations[ranges[i].memory];
    if (allocation.shadow == nullptr) continue;
    const VkDeviceSize begin = ranges[i].offset - allocation.offset;
    const VkDeviceSize size = ranges[i].size == VK_WHOLE_SIZE ? allocation.length - begin : ranges[i].size;
    std::byte* const host = allocation.shadow.get() + begin;
    std::byte* const seen_by_device = allocation.mapped + begin;
    std::memcpy(to_device ? seen_by_device : host, to_device ? host : seen_by_device, size);
  }
}

VKAPI_ATTR VkResult VKAPI_CALL FlushMappedMemoryRanges(VkDevice device, uint32_t count, const VkMappedMemoryRange* ranges) {
  bring_together(below(device), count, ranges, true);
  return below(device).FlushMappedMemoryRanges(device, count, ranges);
}

VKAPI_ATTR VkResult VKAPI_CALL InvalidateMappedMemoryRanges(VkDevice device, uint32_t count, const VkMappedMemoryRange* ranges) {
  const VkResult result = below(device).InvalidateMappedMemoryRanges(device, count, ranges);
  bring_together(below(device), count, ranges, false);
  return result;
}

VKAPI_ATTR void VKAPI_CALL GetBufferMemoryRequirements(VkDevice device, VkBuffer buffer, VkMemoryRequirements* requirements) {
  DeviceBelow& below_us = below(device);
  below_us.GetBufferMemoryRequirements(device, buffer, requirements);
  requirements->memoryTypeBits = below_us.memory_types.shown_mask(requirements->memoryTypeBits);
  if (!weaknesses().has("alignment_256")) return;
  requirements->alignment = std::max<VkDeviceSize>(requirements->alignment, 256);
  requirements->size = (requirements->size + 255) / 256 * 256;
}

VKAPI_ATTR VkResult VKAPI_CALL GetMemoryHostPointerPropertiesEXT(VkDevice device, VkExternalMemoryHandleTypeFlagBits type,
                                                                 const void* pointer,
                                                                 VkMemoryHostPointerPropertiesEXT* properties) {
  DeviceBelow& below_us = below(device);
  const VkResult result = below_us.GetMemoryHostPointerPropertiesEXT(device, type, pointer, properties);
  // The host's memory is none of the device's own.
  uint32_t mask = below_us.memory_types.shown_mask(properties->memoryTypeBits);
  for (uint32_t i = 0; i < below_us.memory_types.count(); ++i) {
    if ((below_us.memory_types.flags(i) & VK_MEMORY_PROPERTY_HOST_VISIBLE_BIT) == 0) mask &= ~(1U << i);
  }
  properties->memoryTypeBits = mask;
  return result;
}

VKAPI_ATTR VkResult VKAPI_CALL GetMemoryFdPropertiesKHR(VkDevice device, VkExternalMemoryHandleTypeFlagBits type, int fd,
                                                        VkMemoryFdPropertiesKHR* properties) {
  DeviceBelow& below_us = below(device);
  const VkResult result = below_us.GetMemoryFdPropertiesKHR(device, type, fd, properties);
  properties->memoryTypeBits = below_us.memory_types.shown_mask(properties->memoryTypeBits);
  return result;
}

VKAPI_ATTR VkResult VKAPI_CALL CreateBuffer(VkDevice device, const VkBufferCreateInfo* info,
                                            const VkAllocationCallbacks* allocator, VkBuffer* buffer) {
  DeviceBelow& below_us = below(device);
  const VkResult result = below_us.CreateBuffer(device, info, allocator, buffer);
  const std::lock_guard lock(below_us.mutex);
  if (result == VK_SUCCESS) below_us.buffer_sizes[*buffer] = info->size;
  return result;
}

VKAPI_ATTR void VKAPI_CALL DestroyBuffer(VkDevice device, VkBuffer buffer, const VkAllocationCallbacks* allocator) {
  check_may_destroy(device, "vkDestroyBuffer");
  DeviceBelow& below_us = below(device);
  {
    const std::lock_guard lock(below_us.mutex);
    below_us.buffer_sizes.erase(buffer);
  }
  below_us.DestroyBuffer(device, buffer, allocator);
}

VkDeviceSize bytes_from(DeviceBelow& below_us, VkBuffer buffer, VkDeviceSize offset, VkDeviceSize range) {
  if (range != VK_WHOLE_SIZE) return range;
  const std::lock_guard lock(below_us.mutex);
  return below_us.buffer_sizes[buffer] - offset;
}

void check_alignment(VkDeviceSize offset, const char* what) {
  if (weaknesses().has("alignment_256") && offset % 256 != 0) {
    broken(std::string(what) + " at offset " + std::to_string(offset) + ", which is not a multiple of 256");
  }
}

VKAPI_ATTR VkResult VKAPI_CALL CreateBufferView(VkDevice device, const VkBufferViewCreateInfo* info,
                                                const VkAllocationCallbacks* allocator, VkBufferView* view) {
  DeviceBelow& below_us = below(device);
  check_alignment(info->offset, "a texel buffer");
  const VkDeviceSize texels = bytes_from(below_us, info->buffer, info->offset, info->range) / texel_bytes(info->format);
  if (weaknesses().has("texels_65536") && texels > 65536) broken("a texel buffer of " + std::to_string(texels) + " texels");
  return below_us.CreateBufferView(device, info, allocator, view);
}

VKAPI_ATTR void VKAPI_CALL UpdateDescriptorSets(VkDevice device, uint32_t writes, const VkWriteDescriptorSet* write,
                                                uint32_t copies, const VkCopyDescriptorSet* copy) {
  DeviceBelow& below_us = below(device);
  for (uint32_t i = 0; i < writes; ++i) {
    if (write[i].descriptorType != VK_DESCRIPTOR_TYPE_STORAGE_BUFFER) continue;
    for (uint32_t d = 0; d < write[i].descriptorCount; ++d) {
      const VkDescriptorBufferInfo& bound = write[i].pBufferInfo[d];
      check_alignment(bound.offset, "a storage buffer");
      const VkDeviceSize bytes = bytes_from(below_us, bound.buffer, bound.offset, bound.range);
      if (weaknesses().has("range_128m") && bytes > (128U << 20))
        broken("a storage buffer of " + std::to_string(bytes) + " bytes");
    }
  }
  below_us.UpdateDescriptorSets(device, writes, write, copies, copy);
}

VKAPI_ATTR VkResult VKAPI_CALL CreateDescriptorSetLayout(VkDevice device, const VkDescriptorSetLayoutCreateInfo* info,
                                                         const VkAllocationCallbacks* allocator, VkDescriptorSetLayout* layout) {
  DeviceBelow& below_us = below(device);
  const VkResult result = below_us.CreateDescriptorSetLayout(device, info, allocator, layout);
  if (result != VK_SUCCESS) return result;
  uint32_t buffers = 0;
  for (uint32_t i = 0; i < info->bindingCount; ++i) {
    const VkDescriptorSetLayoutBinding& binding = info->pBindings[i];
    if (binding.descriptorType == VK_DESCRIPTOR_TYPE_STORAGE_BUFFER) buffers += binding.descriptorCount;
  }
  const std::lock_guard lock(below_us.mutex);
  below_us.storage_buffers[*layout] = buffers;
  return result;
}

VKAPI_ATTR void VKAPI_CALL DestroyDescriptorSetLayout(VkDevice device, VkDescriptorSetLayout layout,
                                                      const VkAllocationCallbacks* allocator) {
  DeviceBelow& below_us = below(device);
  {
    const std::lock_guard lock(below_us.mutex);
    below_us.storage_buffers.erase(layout);
  }
  below_us.DestroyDescriptorSetLayout(device, layout, allocator);
}

VKAPI_ATTR VkResult VKAPI_CALL CreatePipelineLayout(VkDevice device, const VkPipelineLayoutCreateInfo* info,
                                                    const VkAllocationCallbacks* allocator, VkPipelineLayout* layout) {
  DeviceBelow& below_us = below(device);
  uint32_t buffers = 0;
  {
    const std::lock_guard lock(below_us.mutex);
    for (uint32_t i = 0; i < info->setLayoutCount; ++i) buffers += below_us.storage_buffers[info->pSetLayouts[i]];
  }
  if (weaknesses().has("buffers_4") && buffers > 4) broken("a pipeline with " + std::to_string(buffers) + " storage buffers");
  for (uint32_t i = 0; i < info->pushConstantRangeCount; ++i) {
    const uint32_t end = info->pPushConstantRanges[i].offset + info->pPushConstantRanges[i].size;
    if (weaknesses().has("push_128") && end > 128) broken("a pipeline with " + std::to_string(end) + " bytes of push constants");
  }
  return below_us.CreatePipelineLayout(device, info, allocator, layout);
}

void check_capabilities(const ModuleFacts& facts) {
  constexpr uint32_t kGroupNonUniformVote = 62;  // the first beyond basic operations; those of quads are the last
  constexpr uint32_t kGroupNonUniformQuad = 68;
  const std::set<uint32_t> plain = {0, 1, 46, 50, 61};  // Matrix, Shader, SampledBuffer, ImageQuery, GroupNonUniform
  for (const uint32_t capability : facts.capabilities) {
    const bool subgroup = capability >= kGroupNonUniformVote && capability <= kGroupNonUniformQuad;
    if (weaknesses().has("no_subgroups") && subgroup) {
      broken("a shader with subgroup operations, SPIR-V's capability " + std::to_string(capability));
    }
    if (weaknesses().has("bare") && !subgroup && !plain.contains(capability)) {
      broken("a shader that needs SPIR-V's capability " + std::to_string(capability));
    }
  }
}

VKAPI_ATTR VkResult VKAPI_CALL CreateShaderModule(VkDevice device, const VkShaderModuleCreateInfo* info,
                                                  const VkAllocationCallbacks* allocator, VkShaderModule* module) {
  DeviceBelow& below_us = below(device);
  ModuleFacts facts = read_module({info->pCode, info->codeSize / sizeof(uint32_t)});
  check_capabilities(facts);
  const VkResult result = below_us.CreateShaderModule(device, info, allocator, module);
  const std::lock_guard lock(below_us.mutex);
  if (result == VK_SUCCESS) below_us.modules[*module] = std::move(facts);
  return result;
}

VKAPI_ATTR void VKAPI_CALL DestroyShaderModule(VkDevice device, VkShaderModule module, const VkAllocationCallbacks* allocator) {
  DeviceBelow& below_us = below(device);
  {
    const std::lock_guard lock(below_us.mutex);
    below_us.modules.erase(module);
  }
  below_us.DestroyShaderModule(device, module, allocator);
}

void check_group(DeviceBelow& below_us, const VkPipelineShaderStageCreateInfo& stage) {
  std::map<uint32_t, uint32_t> constants;
  if (const VkSpecializationInfo* const given = stage.pSpecializationInfo) {
    for (uint32_t i = 0; i < given->mapEntryCount; ++i) {
      const VkSpecializationMapEntry& entry = given->pMapEntries[i];
      if (entry.size != sizeof(uint32_t)) continue;
      std::memcpy(&constants[entry.constantID], static_cast<const std::byte*>(given->pData) + entry.offset, sizeof(uint32_t));
    }
  }
  const std::lock_guard lock(below_us.mutex);
  const ModuleFacts& facts = below_us.modules[stage.module];
  if (facts.invocations(constants) > 128) {
    broken("a pipeline with work groups of " + std::to_string(facts.invocations(constants)) + " invocations");
  }
  if (facts.shared_bytes > 16384) broken("a pipeline with " + std::to_string(facts.shared_bytes) + " bytes of shared memory");
}

VKAPI_ATTR VkResult VKAPI_CALL CreateComputePipelines(VkDevice device, VkPipelineCache cache, uint32_t count,
                                                      const VkComputePipelineCreateInfo* infos,
                                                      const VkAllocationCallbacks* allocator, VkPipeline* pipelines) {
  DeviceBelow& below_us = below(device);
  for (uint32_t i = 0; i < count && weaknesses().has("invocations_128"); ++i) check_group(below_us, infos[i].stage);
  for (uint32_t i = 0; i < count && weaknesses().has("own_subgroup_size"); ++i) {
    const auto type = VK_STRUCTURE_TYPE_PIPELINE_SHADER_STAGE_REQUIRED_SUBGROUP_SIZE_CREATE_INFO;
    if (find_struct(infos[i].stage.pNext, type) != nullptr) broken("a pipeline that requires a subgroup size");
  }
  return below_us.CreateComputePipelines(device, cache, count, infos, allocator, pipelines);
}

VKAPI_ATTR VkResult VKAPI_CALL CreateQueryPool(VkDevice device, const VkQueryPoolCreateInfo* info,
                                               const VkAllocationCallbacks* allocator, VkQueryPool* pool) {
  if (weaknesses().has("no_timestamps") && info->queryType == VK_QUERY_TYPE_TIMESTAMP) broken("a query of timestamps");
  return below(device).CreateQueryPool(device, info, allocator, pool);
}

VKAPI_ATTR VkResult VKAPI_CALL CreateSemaphore(VkDevice device, const VkSemaphoreCreateInfo* info,
                                               const VkAllocationCallbacks* allocator, VkSemaphore* semaphore) {
  const auto* const type =
      static_cast<const VkSemaphoreTypeCreateInfo*>(find_struct(info->pNext, VK_STRUCTURE_TYPE_SEMAPHORE_TYPE_CREATE_INFO));
  const bool timeline = type != nullptr && type->semaphoreType == VK_SEMAPHORE_TYPE_TIMELINE;
  if (timeline && (weaknesses().has("no_timeline") || weaknesses().has("bare"))) broken("a timeline semaphore");
  return below(device).CreateSemaphore(device, info, allocator, semaphore);
}

}  // namespace

PFN_vkVoidFunction device_function(const char* name) {
#define NNVK_WEAK_ROW(function) \
  if (std::strcmp(name, "vk" #function) == 0) return reinterpret_cast<PFN_vkVoidFunction>(function);
  NNVK_WEAK_ROW(AllocateMemory)
  NNVK_WEAK_ROW(FreeMemory)
  NNVK_WEAK_ROW(MapMemory)
  NNVK_WEAK_ROW(UnmapMemory)
  NNVK_WEAK_ROW(FlushMappedMemoryRanges)
  NNVK_WEAK_ROW(InvalidateMappedMemoryRanges)
  NNVK_WEAK_ROW(GetBufferMemoryRequirements)
  NNVK_WEAK_ROW(GetMemoryHostPointerPropertiesEXT)
  NNVK_WEAK_ROW(GetMemoryFdPropertiesKHR)
  NNVK_WEAK_ROW(CreateBuffer)
  NNVK_WEAK_ROW(DestroyBuffer)
  NNVK_WEAK_ROW(CreateBufferView)
  NNVK_WEAK_ROW(UpdateDescriptorSets)
  NNVK_WEAK_ROW(CreateDescriptorSetLayout)
  NNVK_WEAK_ROW(DestroyDescriptorSetLayout)
  NNVK_WEAK_ROW(CreatePipelineLayout)
  NNVK_WEAK_ROW(CreateShaderModule)
  NNVK_WEAK_ROW(DestroyShaderModule)
  NNVK_WEAK_ROW(CreateComputePipelines)
  NNVK_WEAK_ROW(CreateQueryPool)
  NNVK_WEAK_ROW(CreateSemaphore)
#undef NNVK_WEAK_ROW
  return nullptr;
}

}  // namespace nnvk::weak_device
