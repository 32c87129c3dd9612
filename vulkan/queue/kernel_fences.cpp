#include "vulkan/queue/kernel_fences.h"

#include <fcntl.h>

#include <cerrno>
#include <cstring>
#include <string>
#include <utility>

#include "core/base/out_of_memory.h"
#include "vulkan/context/vulkan_forms.h"

namespace nnvk::vulkan {

void KernelFence::submitted() {
  const std::lock_guard lock(mutex_);
  is_submitted_ = true;
}

std::optional<int> KernelFence::export_file() {
  const std::lock_guard lock(mutex_);
  if (has_completed_) return -1;
  if (!is_submitted_ || fence_ == VK_NULL_HANDLE) return std::nullopt;
  const std::optional<int> file = owner_.export_fence(fence_);
  is_exported_ = file.has_value();
  return file;
}

void KernelFence::retire(bool has_completed) {
  const std::lock_guard lock(mutex_);
  has_completed_ = has_completed_ || has_completed;
  if (fence_ == VK_NULL_HANDLE) return;
  using Use = KernelFences::Use;
  const Use use = is_exported_ ? Use::kExported : is_submitted_ && has_completed ? Use::kSignalled : Use::kNone;
  owner_.give_back(std::exchange(fence_, VK_NULL_HANDLE), use);
}

KernelFences::~KernelFences() {
  const VolkDeviceTable& vk = context_->vk();
  for (const VkFence fence : fences_) vk.vkDestroyFence(context_->device(), fence, context_->allocator());
  for (const VkSemaphore semaphore : semaphores_) vk.vkDestroySemaphore(context_->device(), semaphore, context_->allocator());
}

// Stores `more` for reuse. Returns false if there is no memory for that.
template <class T>
bool KernelFences::keep(std::vector<T>& kept, std::type_identity_t<std::span<const T>> more) {
  const std::lock_guard lock(mutex_);
  return catch_out_of_memory([&] { kept.insert(kept.end(), more.begin(), more.end()); }).has_value();
}

std::shared_ptr<KernelFence> KernelFences::take() {
  auto made = std::make_shared<KernelFence>(*this);  // before a fence is taken, so that none can be lost
  {
    const std::lock_guard lock(mutex_);
    if (!fences_.empty()) {
      made->fence_ = fences_.back();
      fences_.pop_back();
      return made;
    }
  }
  auto exported = vulkan_struct<VkExportFenceCreateInfo>(VK_STRUCTURE_TYPE_EXPORT_FENCE_CREATE_INFO);
  exported.handleTypes = VK_EXTERNAL_FENCE_HANDLE_TYPE_SYNC_FD_BIT;
  auto info = vulkan_struct<VkFenceCreateInfo>(VK_STRUCTURE_TYPE_FENCE_CREATE_INFO);
  info.pNext = &exported;
  const VkResult result = context_->vk().vkCreateFence(context_->device(), &info, context_->allocator(), &made->fence_);
  return context_->noted(result) == VK_SUCCESS ? made : nullptr;
}

std::optional<int> KernelFences::export_fence(VkFence fence) {
  auto info = vulkan_struct<VkFenceGetFdInfoKHR>(VK_STRUCTURE_TYPE_FENCE_GET_FD_INFO_KHR);
  info.fence = fence;
  info.handleType = VK_EXTERNAL_FENCE_HANDLE_TYPE_SYNC_FD_BIT;
  int file = -1;
  if (context_->noted(context_->vk().vkGetFenceFdKHR(context_->device(), &info, &file)) != VK_SUCCESS) return std::nullopt;
  return file;
}

// Keeps the fence for reuse. An exported fence is unsignalled again. For any other signalled fence, the function waits for the
// signal, which may come just after that of the timeline semaphore, and resets the fence.
void KernelFences::give_back(VkFence fence, Use use) {
  constexpr uint64_t kSoon = 1'000'000'000;
  const VolkDeviceTable& vk = context_->vk();
  const bool is_reset = use == Use::kExported ||
                        (use == Use::kSignalled &&
                         context_->noted(vk.vkWaitForFences(context_->device(), 1, &fence, VK_TRUE, kSoon)) == VK_SUCCESS &&
                         context_->noted(vk.vkResetFences(context_->device(), 1, &fence)) == VK_SUCCESS);
  const bool is_kept = is_reset && keep(fences_, std::span<const VkFence>(&fence, 1));
  if (!is_kept) vk.vkDestroyFence(context_->device(), fence, context_->allocator());
}

Result<VkSemaphore> KernelFences::import_file(int file) {
  const VolkDeviceTable& vk = context_->vk();
  VkSemaphore semaphore = VK_NULL_HANDLE;
  {
    const std::lock_guard lock(mutex_);
    if (!semaphores_.empty()) {
      semaphore = semaphores_.back();
      semaphores_.pop_back();
    }
  }
  if (semaphore == VK_NULL_HANDLE) {
    auto info = vulkan_struct<VkSemaphoreCreateInfo>(VK_STRUCTURE_TYPE_SEMAPHORE_CREATE_INFO);
    NNVK_TRY(NNVK_CREATE(*context_, vkCreateSemaphore, info, semaphore));
  }
  // The driver takes the copy, even if it fails: some drivers close a descriptor that they refuse.
  const int copy = file < 0 ? -1 : ::fcntl(file, F_DUPFD_CLOEXEC, 3);
  auto info = vulkan_struct<VkImportSemaphoreFdInfoKHR>(VK_STRUCTURE_TYPE_IMPORT_SEMAPHORE_FD_INFO_KHR);
  info.semaphore = semaphore;
  info.flags = VK_SEMAPHORE_IMPORT_TEMPORARY_BIT;
  info.handleType = VK_EXTERNAL_SEMAPHORE_HANDLE_TYPE_SYNC_FD_BIT;
  info.fd = copy;
  const bool has_copy = file < 0 || copy >= 0;
  Status imported = has_copy ? context_->status(vk.vkImportSemaphoreFdKHR(context_->device(), &info), "vkImportSemaphoreFdKHR")
                             : Status(fail(Code::kResourceExhaustedTransient,
                                           std::string("a sync fence cannot be duplicated: ") + std::strerror(errno)));
  if (imported) return semaphore;
  destroy(std::span(&semaphore, 1));
  return fail(std::move(imported).error());
}

void KernelFences::destroy(std::span<const VkSemaphore> semaphores) {
  for (const VkSemaphore semaphore : semaphores)
    context_->vk().vkDestroySemaphore(context_->device(), semaphore, context_->allocator());
}

void KernelFences::give_back(std::span<const VkSemaphore> semaphores) {
  if (!keep(semaphores_, semaphores)) destroy(semaphores);
}

}  // namespace nnvk::vulkan
