// Buffer creation, allocation and mapping.
#include "vulkan/memory/buffer.h"

#include <algorithm>
#include <utility>

#include "vulkan/context/vulkan_error.h"
#include "vulkan/context/vulkan_forms.h"

namespace nnvk::vulkan {

Result<Buffer> Buffer::create(std::shared_ptr<Context> context, uint64_t size, MemoryUse use, Activity& activity,
                              std::string_view what) {
  Buffer buffer;
  buffer.context_ = std::move(context);
  buffer.size_ = std::max<uint64_t>(size, 256);
  const Context& gpu = *buffer.context_;
  if (buffer.size_ > gpu.plan().max_allocation_bytes) {
    return fail(Code::kResourceExhaustedPersistent, std::string(what) + " needs " + std::to_string(buffer.size_) +
                                                        " bytes, more than the device allocates at once (" +
                                                        std::to_string(gpu.plan().max_allocation_bytes) + ")");
  }
  NNVK_TRY(buffer.make_buffer(nullptr, what));
  NNVK_TRY(buffer.allocate(use, activity, what));
  return buffer;
}

Status Buffer::make_buffer(const void* next, std::string_view what) {
  const Context& gpu = *context_;
  auto info = vulkan_struct<VkBufferCreateInfo>(VK_STRUCTURE_TYPE_BUFFER_CREATE_INFO);
  info.pNext = next;
  info.size = size_;
  info.usage = VK_BUFFER_USAGE_STORAGE_BUFFER_BIT | VK_BUFFER_USAGE_TRANSFER_SRC_BIT | VK_BUFFER_USAGE_TRANSFER_DST_BIT;
  if (gpu.plan().traits.variants.contains(KernelVariant::kTexel)) info.usage |= VK_BUFFER_USAGE_UNIFORM_TEXEL_BUFFER_BIT;
  info.sharingMode = VK_SHARING_MODE_EXCLUSIVE;
  return vulkan_status(gpu.vk().vkCreateBuffer(gpu.device(), &info, nullptr, &buffer_),
                       "vkCreateBuffer for " + std::string(what));
}

Result<Buffer> Buffer::import_host(std::shared_ptr<Context> context, std::byte* address, uint64_t size, Activity& activity) {
  Buffer buffer;
  buffer.context_ = std::move(context);
  buffer.size_ = size;
  auto external = vulkan_struct<VkExternalMemoryBufferCreateInfo>(VK_STRUCTURE_TYPE_EXTERNAL_MEMORY_BUFFER_CREATE_INFO);
  external.handleTypes = VK_EXTERNAL_MEMORY_HANDLE_TYPE_HOST_ALLOCATION_BIT_EXT;
  NNVK_TRY(buffer.make_buffer(&external, "client memory"));
  NNVK_TRY(buffer.import(address, activity));
  return buffer;
}

Status Buffer::import(std::byte* address, Activity& activity) {
  const VolkDeviceTable& vk = context_->vk();
  if (vk.vkGetMemoryHostPointerPropertiesEXT == nullptr) {
    return fail(Code::kOpFailed, "the driver names VK_EXT_external_memory_host but does not have its functions");
  }
  auto properties = vulkan_struct<VkMemoryHostPointerPropertiesEXT>(VK_STRUCTURE_TYPE_MEMORY_HOST_POINTER_PROPERTIES_EXT);
  NNVK_TRY(vulkan_status(vk.vkGetMemoryHostPointerPropertiesEXT(
                             context_->device(), VK_EXTERNAL_MEMORY_HANDLE_TYPE_HOST_ALLOCATION_BIT_EXT, address, &properties),
                         "vkGetMemoryHostPointerPropertiesEXT"));
  const VkMemoryRequirements wanted = requirements();
  if (wanted.size > size_) {
    return fail(Code::kOpFailed,
                "the driver wants " + std::to_string(wanted.size) + " bytes for a buffer of " + std::to_string(size_));
  }
  auto import = vulkan_struct<VkImportMemoryHostPointerInfoEXT>(VK_STRUCTURE_TYPE_IMPORT_MEMORY_HOST_POINTER_INFO_EXT);
  import.handleType = VK_EXTERNAL_MEMORY_HANDLE_TYPE_HOST_ALLOCATION_BIT_EXT;
  import.pHostPointer = address;
  auto info = vulkan_struct<VkMemoryAllocateInfo>(VK_STRUCTURE_TYPE_MEMORY_ALLOCATE_INFO);
  info.pNext = &import;
  info.allocationSize = size_;
  // Only coherent memory suits MemoryUse::kIo: nothing is flushed.
  const uint32_t types = wanted.memoryTypeBits & properties.memoryTypeBits;
  NNVK_ASSIGN(info.memoryTypeIndex, choose_memory_type(context_->snapshot(), types, MemoryUse::kIo));
  return bind_memory(info, activity, "client memory");
}

Result<Buffer> Buffer::import_memory(std::shared_ptr<Context> context, const ExternalMemory& memory, Activity& activity) {
  Buffer buffer;
  buffer.context_ = std::move(context);
  buffer.size_ = memory.memory_size - memory.offset;
  auto external = vulkan_struct<VkExternalMemoryBufferCreateInfo>(VK_STRUCTURE_TYPE_EXTERNAL_MEMORY_BUFFER_CREATE_INFO);
  external.handleTypes = memory.handle_type;
  NNVK_TRY(buffer.make_buffer(&external, "external memory"));
  const VkMemoryRequirements wanted = buffer.requirements();
  if (memory.offset % wanted.alignment != 0 || wanted.size > buffer.size_) {
    return fail(Code::kOpFailed, "the driver wants " + std::to_string(wanted.size) + " bytes at a multiple of " +
                                     std::to_string(wanted.alignment) + " for a buffer of " + std::to_string(buffer.size_) +
                                     " bytes at offset " + std::to_string(memory.offset));
  }
  auto info = vulkan_struct<VkMemoryAllocateInfo>(VK_STRUCTURE_TYPE_MEMORY_ALLOCATE_INFO);
  info.pNext = memory.import;
  info.allocationSize = memory.memory_size;
  NNVK_ASSIGN(info.memoryTypeIndex,
              choose_memory_type(buffer.context_->snapshot(), wanted.memoryTypeBits & memory.memory_types, MemoryUse::kDevice));
  NNVK_TRY(buffer.bind_memory(info, activity, "external memory", memory.offset));
  return buffer;
}

VkMemoryRequirements Buffer::requirements() const {
  VkMemoryRequirements requirements{};
  context_->vk().vkGetBufferMemoryRequirements(context_->device(), buffer_, &requirements);
  return requirements;
}

Status Buffer::bind_memory(const VkMemoryAllocateInfo& info, Activity& activity, std::string_view what, uint64_t offset) {
  const VolkDeviceTable& vk = context_->vk();
  NNVK_TRY(vulkan_status(vk.vkAllocateMemory(context_->device(), &info, nullptr, &memory_),
                         "vkAllocateMemory of " + std::to_string(info.allocationSize) + " bytes for " + std::string(what)));
  activity.device_allocations.fetch_add(1, std::memory_order_relaxed);
  return vulkan_status(vk.vkBindBufferMemory(context_->device(), buffer_, memory_, offset),
                       "vkBindBufferMemory for " + std::string(what));
}

Status Buffer::allocate(MemoryUse use, Activity& activity, std::string_view what) {
  const VkMemoryRequirements wanted = requirements();
  auto info = vulkan_struct<VkMemoryAllocateInfo>(VK_STRUCTURE_TYPE_MEMORY_ALLOCATE_INFO);
  info.allocationSize = wanted.size;
  NNVK_ASSIGN(info.memoryTypeIndex, choose_memory_type(context_->snapshot(), wanted.memoryTypeBits, use));
  NNVK_TRY(bind_memory(info, activity, what));
  if (use == MemoryUse::kDevice) return {};
  void* address = nullptr;
  NNVK_TRY(vulkan_status(context_->vk().vkMapMemory(context_->device(), memory_, 0, VK_WHOLE_SIZE, 0, &address),
                         "vkMapMemory for " + std::string(what)));
  mapped_ = static_cast<std::byte*>(address);
  return {};
}

Buffer::~Buffer() {
  if (context_ == nullptr) return;
  context_->vk().vkDestroyBuffer(context_->device(), buffer_, nullptr);
  context_->vk().vkFreeMemory(context_->device(), memory_, nullptr);  // unmaps too
}

Buffer::Buffer(Buffer&& other) noexcept { *this = std::move(other); }

// `other` takes what was here and destroys it.
Buffer& Buffer::operator=(Buffer&& other) noexcept {
  std::swap(context_, other.context_);
  std::swap(buffer_, other.buffer_);
  std::swap(memory_, other.memory_);
  std::swap(mapped_, other.mapped_);
  std::swap(size_, other.size_);
  return *this;
}

}  // namespace nnvk::vulkan
