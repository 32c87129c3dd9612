#include "vulkan/memory/memory_block.h"

#include <string>

#include "vulkan/context/vulkan_forms.h"

namespace nnvk::vulkan {
namespace {

// Calls the application's allocator and checks its answer.
Status allocate_from_application(const Context& context, const MemoryBlockRequest& request, bool mapped, std::string_view what,
                                 MemoryBlock& block) {
  const ApplicationDevice& application = *context.application();
  const std::string call =
      "allocateMemory of the application, " + std::to_string(request.size) + " bytes for " + std::string(what);
  NNVK_ASSIGN(const VkResult answer, application.allocate_memory(request, block));
  NNVK_TRY(context.status(answer, call));
  std::string wrong;
  if (block.memory == VK_NULL_HANDLE) wrong = "returned VK_SUCCESS without a VkDeviceMemory";
  if (block.offset % request.alignment != 0) {
    wrong = "returned the offset " + std::to_string(block.offset) + ", which is not a multiple of " +
            std::to_string(request.alignment);
  }
  if (block.offset > kMostBytes - request.size)
    wrong = "returned the offset " + std::to_string(block.offset) + ", which no memory has";
  if (mapped && block.mapped == nullptr) wrong = "returned memory that is not mapped; only the role DEVICE needs no mapping";
  if (wrong.empty()) return {};
  application.free_memory(block);
  return fail(Code::kOpFailed, call + ", " + wrong);
}

Status allocate_from_vulkan(const Context& context, const MemoryBlockRequest& request, bool mapped, std::string_view what,
                            MemoryBlock& block) {
  const VolkDeviceTable& vk = context.vk();
  auto info = vulkan_struct<VkMemoryAllocateInfo>(VK_STRUCTURE_TYPE_MEMORY_ALLOCATE_INFO);
  info.allocationSize = request.size;
  info.memoryTypeIndex = request.type;
  NNVK_TRY(context.status(vk.vkAllocateMemory(context.device(), &info, context.allocator(), &block.memory),
                          "vkAllocateMemory of " + std::to_string(request.size) + " bytes for " + std::string(what)));
  if (!mapped) return {};
  Status result = context.status(vk.vkMapMemory(context.device(), block.memory, 0, VK_WHOLE_SIZE, 0, &block.mapped),
                                 "vkMapMemory for " + std::string(what));
  if (!result) vk.vkFreeMemory(context.device(), block.memory, context.allocator());
  return result;
}

}  // namespace

Result<MemoryBlock> allocate_block(Context& context, const VkMemoryRequirements& wanted, MemoryUse use, std::string_view what) {
  MemoryBlockRequest request{wanted.size, wanted.alignment, 0, static_cast<int32_t>(use)};
  NNVK_ASSIGN(request.type, choose_memory_type(context.snapshot(), wanted.memoryTypeBits, use));
  NNVK_TRY(context.memory_budget().take(request.size, what));
  MemoryBlock block;
  const bool mapped = use != MemoryUse::kDevice;
  const ApplicationDevice* const application = context.application();
  Status result = application != nullptr && application->allocate_memory
                      ? allocate_from_application(context, request, mapped, what, block)
                      : allocate_from_vulkan(context, request, mapped, what, block);
  if (!result) {
    context.memory_budget().give_back(request.size);
    return fail(std::move(result).error());
  }
  block.size = request.size;
  if (!mapped) block.mapped = nullptr;
  return block;
}

void free_block(Context& context, const MemoryBlock& block) {
  if (context.is_hung()) return;  // the device may still write there
  const ApplicationDevice* const application = context.application();
  if (application != nullptr && application->allocate_memory) {
    application->free_memory(block);
  } else {
    context.vk().vkFreeMemory(context.device(), block.memory, context.allocator());  // unmaps too
  }
  context.memory_budget().give_back(block.size);
}

}  // namespace nnvk::vulkan
