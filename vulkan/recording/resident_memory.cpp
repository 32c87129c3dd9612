// Allocation, and the way back to the host: directly where the memory is mapped, through a staging buffer elsewhere.
#include "vulkan/recording/resident_memory.h"

#include <algorithm>
#include <cstring>
#include <utility>

#include "vulkan/recording/command_recorder.h"

namespace nnvk::vulkan {
namespace {

// What a read needs until it has completed.
struct PendingRead {
  Activity activity;
  Buffer staging;
  std::unique_ptr<CommandPool> pool;
  std::span<std::byte> host;
};

}  // namespace

Result<std::unique_ptr<DeviceMemory>> ResidentMemory::create(std::shared_ptr<Gpu> gpu, uint64_t size) {
  Activity activity;
  const bool mapped = gpu->context->plan().direct_io;
  NNVK_ASSIGN(Buffer buffer, Buffer::create(gpu->context, std::max<uint64_t>(size, 16), mapped ? MemoryUse::kIo : MemoryUse::kDevice,
                                            activity, "a tensor between two parts of a model"));
  return std::unique_ptr<DeviceMemory>(new ResidentMemory(std::move(gpu), std::move(buffer), size));
}

Result<Fence> ResidentMemory::read(std::span<std::byte> host) const {
  if (host.size() > size_) {
    return fail(Code::kBadData, std::to_string(host.size()) + " bytes are read from " + std::to_string(size_));
  }
  if (host.empty()) return Fence::already_signalled();
  if (!buffer_.bytes().empty()) {
    std::memcpy(host.data(), buffer_.bytes().data(), host.size());
    return Fence::already_signalled();
  }
  auto work = std::make_shared<PendingRead>();
  work->host = host;
  NNVK_ASSIGN(work->staging, Buffer::create(gpu_->context, host.size(), MemoryUse::kStaging, work->activity, "a result read back"));
  NNVK_ASSIGN(work->pool, CommandPool::create(gpu_->context));
  NNVK_ASSIGN(const VkCommandBuffer commands, work->pool->begin());
  record_barrier(*gpu_->context, commands,
                 {VK_PIPELINE_STAGE_TRANSFER_BIT, VK_ACCESS_TRANSFER_WRITE_BIT, VK_PIPELINE_STAGE_TRANSFER_BIT,
                  VK_ACCESS_TRANSFER_READ_BIT});
  const VkBufferCopy region{0, 0, host.size()};
  gpu_->context->vk().vkCmdCopyBuffer(commands, buffer_.handle(), work->staging.handle(), 1, &region);
  record_barrier(*gpu_->context, commands,
                 {VK_PIPELINE_STAGE_TRANSFER_BIT, VK_ACCESS_TRANSFER_WRITE_BIT, VK_PIPELINE_STAGE_HOST_BIT, VK_ACCESS_HOST_READ_BIT});
  NNVK_TRY(work->pool->end(commands, work->activity));
  const Fence done = Fence::pending();
  NNVK_TRY(gpu_->completions->submit(commands, [work, done](const Status& result) {
    if (result) std::memcpy(work->host.data(), work->staging.bytes().data(), work->host.size());
    result ? done.signal() : done.fail(result.error());
  }));
  return done;
}

}  // namespace nnvk::vulkan
