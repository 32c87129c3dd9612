#include "vulkan/memory/buffer.h"

#include <algorithm>
#include <utility>

#include "vulkan/context/vulkan_forms.h"

namespace nnvk::vulkan {

Result<Buffer> Buffer::create(std::shared_ptr<Context> context, uint64_t size, MemoryUse use, Activity& activity,
                              std::string_view what) {
  Buffer buffer(std::move(context), std::max<uint64_t>(size, 256));
  const Context& gpu = *buffer.context_;
  if (buffer.size_ > gpu.plan().max_allocation_bytes) {
    return fail(Code::kResourceExhaustedPersistent, std::string(what) + " needs " + std::to_string(buffer.size_) +
                                                        " bytes, more than the device allocates at once (" +
                                                        std::to_string(gpu.plan().max_allocation_bytes) + ")");
  }
  NNVK_TRY(buffer.make_buffer(nullptr, what));
  NNVK_ASSIGN(buffer.block_, allocate_block(*buffer.context_, buffer.requirements(), use, what));
  activity.device_allocations.fetch_add(1, std::memory_order_relaxed);
  NNVK_TRY(buffer.bind(buffer.block_.memory, buffer.block_.offset, what));
  return buffer;
}

VkBufferUsageFlags Buffer::kernel_usage(const Context& context) {
  VkBufferUsageFlags usage = VK_BUFFER_USAGE_STORAGE_BUFFER_BIT;
  if (context.plan().traits.variants.contains(KernelVariant::kTexel)) usage |= VK_BUFFER_USAGE_UNIFORM_TEXEL_BUFFER_BIT;
  return usage;
}

VkBufferUsageFlags Buffer::full_usage(const Context& context) {
  return kernel_usage(context) | VK_BUFFER_USAGE_TRANSFER_SRC_BIT | VK_BUFFER_USAGE_TRANSFER_DST_BIT;
}

Status Buffer::make_buffer(const void* next, std::string_view what) {
  const Context& gpu = *context_;
  const std::span<const uint32_t> families = gpu.families();
  auto info = vulkan_struct<VkBufferCreateInfo>(VK_STRUCTURE_TYPE_BUFFER_CREATE_INFO);
  info.pNext = next;
  info.size = size_;
  info.usage = usage_ = full_usage(gpu);
  info.sharingMode = VK_SHARING_MODE_EXCLUSIVE;
  if (families.size() > 1) {
    info.sharingMode = VK_SHARING_MODE_CONCURRENT;
    info.queueFamilyIndexCount = static_cast<uint32_t>(families.size());
    info.pQueueFamilyIndices = families.data();
  }
  NNVK_TRY(gpu.status(gpu.vk().vkCreateBuffer(gpu.device(), &info, gpu.allocator(), &buffer_),
                      "vkCreateBuffer for " + std::string(what)));
  owns_buffer_ = true;
  return {};
}

Buffer Buffer::of_application(std::shared_ptr<Context> context, VkBuffer buffer, uint64_t size, VkBufferUsageFlags usage) {
  Buffer made(std::move(context), size);
  made.buffer_ = buffer;
  made.usage_ = usage;
  return made;
}

Result<Buffer> Buffer::over_memory(std::shared_ptr<Context> context, VkDeviceMemory memory, uint32_t type, uint64_t offset,
                                   uint64_t size) {
  Buffer made(std::move(context), size);
  NNVK_TRY(made.make_buffer(nullptr, "memory of the application"));
  const VkMemoryRequirements wanted = made.requirements();
  std::string wrong;
  if (type >= 32 || ((wanted.memoryTypeBits >> type) & 1U) == 0) {
    wrong = "memory type " + std::to_string(type) + " takes no storage buffers on this device";
  } else if (offset % wanted.alignment != 0) {
    wrong = "the offset " + std::to_string(offset) + " is not a multiple of " + std::to_string(wanted.alignment) +
            ", which the device wants for buffers";
  } else if (wanted.size > size) {
    wrong = "a buffer of " + std::to_string(size) + " bytes takes " + std::to_string(wanted.size) +
            " bytes of memory on this device; round the size up";
  }
  if (!wrong.empty()) return fail(Code::kBadData, std::move(wrong));
  NNVK_TRY(made.bind(memory, offset, "memory of the application"));
  return made;
}

Result<Buffer> Buffer::import_host(std::shared_ptr<Context> context, std::byte* address, uint64_t size, Activity& activity) {
  Buffer buffer(std::move(context), size);
  const Context& gpu = *buffer.context_;
  auto external = vulkan_struct<VkExternalMemoryBufferCreateInfo>(VK_STRUCTURE_TYPE_EXTERNAL_MEMORY_BUFFER_CREATE_INFO);
  external.handleTypes = VK_EXTERNAL_MEMORY_HANDLE_TYPE_HOST_ALLOCATION_BIT_EXT;
  NNVK_TRY(buffer.make_buffer(&external, "client memory"));
  const VolkDeviceTable& vk = gpu.vk();
  if (vk.vkGetMemoryHostPointerPropertiesEXT == nullptr) {
    return fail(Code::kOpFailed, "the driver names VK_EXT_external_memory_host but does not have its functions");
  }
  auto properties = vulkan_struct<VkMemoryHostPointerPropertiesEXT>(VK_STRUCTURE_TYPE_MEMORY_HOST_POINTER_PROPERTIES_EXT);
  NNVK_TRY(gpu.status(vk.vkGetMemoryHostPointerPropertiesEXT(gpu.device(), VK_EXTERNAL_MEMORY_HANDLE_TYPE_HOST_ALLOCATION_BIT_EXT,
                                                             address, &properties),
                      "vkGetMemoryHostPointerPropertiesEXT"));
  const VkMemoryRequirements wanted = buffer.requirements();
  if (wanted.size > size) {
    return fail(Code::kOpFailed,
                "the driver wants " + std::to_string(wanted.size) + " bytes for a buffer of " + std::to_string(size));
  }
  auto host_pointer = vulkan_struct<VkImportMemoryHostPointerInfoEXT>(VK_STRUCTURE_TYPE_IMPORT_MEMORY_HOST_POINTER_INFO_EXT);
  host_pointer.handleType = VK_EXTERNAL_MEMORY_HANDLE_TYPE_HOST_ALLOCATION_BIT_EXT;
  host_pointer.pHostPointer = address;
  auto info = vulkan_struct<VkMemoryAllocateInfo>(VK_STRUCTURE_TYPE_MEMORY_ALLOCATE_INFO);
  info.pNext = &host_pointer;
  info.allocationSize = size;
  // Only coherent memory suits MemoryUse::kIo: nnvk does not flush.
  const uint32_t types = wanted.memoryTypeBits & properties.memoryTypeBits;
  NNVK_ASSIGN(info.memoryTypeIndex, choose_memory_type(gpu.snapshot(), types, MemoryUse::kIo));
  NNVK_TRY(buffer.import(info, 0, activity, "client memory"));
  return buffer;
}

// Imports memory that exists already. It does not count towards the budget.
Status Buffer::import(const VkMemoryAllocateInfo& info, uint64_t offset, Activity& activity, std::string_view what) {
  NNVK_TRY(context_->status(context_->vk().vkAllocateMemory(context_->device(), &info, context_->allocator(), &imported_),
                            "vkAllocateMemory of " + std::to_string(info.allocationSize) + " bytes for " + std::string(what)));
  activity.device_allocations.fetch_add(1, std::memory_order_relaxed);
  return bind(imported_, offset, what);
}

Result<Buffer> Buffer::import_memory(std::shared_ptr<Context> context, const ExternalMemory& memory, Activity& activity) {
  Buffer buffer(std::move(context), memory.memory_size - memory.offset);
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
  NNVK_TRY(buffer.import(info, memory.offset, activity, "external memory"));
  return buffer;
}

VkMemoryRequirements Buffer::requirements() const {
  VkMemoryRequirements requirements{};
  context_->vk().vkGetBufferMemoryRequirements(context_->device(), buffer_, &requirements);
  return requirements;
}

Status Buffer::bind(VkDeviceMemory memory, uint64_t offset, std::string_view what) {
  return context_->status(context_->vk().vkBindBufferMemory(context_->device(), buffer_, memory, offset),
                          "vkBindBufferMemory for " + std::string(what));
}

Buffer::~Buffer() {
  if (context_ == nullptr) return;
  if (owns_buffer_) context_->vk().vkDestroyBuffer(context_->device(), buffer_, context_->allocator());
  if (block_.memory != VK_NULL_HANDLE) free_block(*context_, block_);
  if (imported_ != VK_NULL_HANDLE) context_->vk().vkFreeMemory(context_->device(), imported_, context_->allocator());
}

Buffer::Buffer(Buffer&& other) noexcept { *this = std::move(other); }

// Swaps, so that `other` destroys the old buffer.
Buffer& Buffer::operator=(Buffer&& other) noexcept {
  std::swap(context_, other.context_);
  std::swap(buffer_, other.buffer_);
  std::swap(owns_buffer_, other.owns_buffer_);
  std::swap(block_, other.block_);
  std::swap(imported_, other.imported_);
  std::swap(size_, other.size_);
  std::swap(usage_, other.usage_);
  return *this;
}

}  // namespace nnvk::vulkan
