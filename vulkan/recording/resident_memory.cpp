// Allocation, and the ways from and to the host: directly where the memory is mapped, through a staging buffer elsewhere.
#include "vulkan/recording/resident_memory.h"

#include <cstring>
#include <utility>

#include "vulkan/recording/command_recorder.h"
#include "vulkan/recording/dispatch_program.h"
#include "vulkan/recording/one_off_commands.h"

namespace nnvk::vulkan {
namespace {

// A copy between staging and device memory, and what it needs until it has completed.
struct PendingCopy {
  Activity activity;
  Buffer staging;
  std::shared_ptr<const IoBuffer> memory;
};

// Submits the copy of the first `size` bytes; `done` runs when it has completed.
Status submit_copy(Gpu& gpu, PendingCopy& work, uint64_t size, bool to_host, CompletionQueue::Retire done) {
  const auto record = [&](VkCommandBuffer commands) {
    record_barrier(*gpu.context, commands, kAfterEarlierSubmissions);
    const VkBuffer memory = work.memory->handle();
    const VkBuffer staging = work.staging.handle();
    const VkBufferCopy region{0, 0, size};
    gpu.context->vk().vkCmdCopyBuffer(commands, to_host ? memory : staging, to_host ? staging : memory, 1, &region);
    if (to_host) record_barrier(*gpu.context, commands, kFromCopiesToHost);
  };
  return submit_once(gpu, work.activity, record, std::move(done));
}

}  // namespace

Result<std::unique_ptr<DeviceMemory>> ResidentMemory::create(std::shared_ptr<Gpu> gpu, const MemoryRequest& request) {
  std::unique_ptr<ResidentMemory> memory(new ResidentMemory(std::move(gpu), request.grows));
  Activity activity;
  NNVK_TRY(memory->make_buffer(request.size, activity));
  return memory;
}

Status ResidentMemory::make_buffer(uint64_t size, Activity& activity) {
  const bool mapped = gpu_->context->plan().direct_io;
  NNVK_ASSIGN(Buffer buffer, Buffer::create(gpu_->context, padded_size(size), mapped ? MemoryUse::kIo : MemoryUse::kDevice,
                                            activity, "a tensor that stays on the device"));
  auto made = std::make_shared<const IoBuffer>(std::move(buffer));
  const std::lock_guard lock(mutex_);
  buffer_ = std::move(made);
  size_ = size;
  return {};
}

uint64_t ResidentMemory::size() const {
  const std::lock_guard lock(mutex_);
  return size_;
}

std::shared_ptr<const IoBuffer> ResidentMemory::buffer() const {
  const std::lock_guard lock(mutex_);
  return buffer_;
}

Status ResidentMemory::resize(uint64_t size, Activity& activity) {
  if (!grows_) return {};
  {
    const std::lock_guard lock(mutex_);
    if (padded_size(size) <= buffer_->size()) {
      size_ = size;
      return {};
    }
  }
  return make_buffer(size, activity);
}

Result<Fence> ResidentMemory::read(std::span<std::byte> host) const {
  if (host.size() > size()) {
    return fail(Code::kBadData, std::to_string(host.size()) + " bytes are read from " + std::to_string(size()));
  }
  if (host.empty()) return Fence::already_signalled();
  auto work = std::make_shared<PendingCopy>();
  work->memory = buffer();
  if (!work->memory->bytes().empty()) {
    std::memcpy(host.data(), work->memory->bytes().data(), host.size());
    return Fence::already_signalled();
  }
  NNVK_ASSIGN(work->staging,
              Buffer::create(gpu_->context, host.size(), MemoryUse::kStaging, work->activity, "a result read back"));
  const Fence done = Fence::pending();
  NNVK_TRY(submit_copy(*gpu_, *work, host.size(), true, [work, host, done](const Status& result) {
    if (result) std::memcpy(host.data(), work->staging.bytes().data(), host.size());
    done.settle(result);
  }));
  return done;
}

Result<Fence> ResidentMemory::write(std::span<const std::byte> host) {
  auto work = std::make_shared<PendingCopy>();
  NNVK_TRY(resize(host.size(), work->activity));
  if (host.size() > size()) {
    return fail(Code::kBadData, std::to_string(host.size()) + " bytes are written to " + std::to_string(size()));
  }
  if (host.empty()) return Fence::already_signalled();
  work->memory = buffer();
  if (!work->memory->bytes().empty()) {
    std::memcpy(work->memory->bytes().data(), host.data(), host.size());
    return Fence::already_signalled();
  }
  NNVK_ASSIGN(work->staging, Buffer::create(gpu_->context, host.size(), MemoryUse::kStaging, work->activity, "a tensor written"));
  std::memcpy(work->staging.bytes().data(), host.data(), host.size());
  const Fence done = Fence::pending();
  NNVK_TRY(submit_copy(*gpu_, *work, host.size(), false, [work, done](const Status& result) { done.settle(result); }));
  return done;
}

}  // namespace nnvk::vulkan
