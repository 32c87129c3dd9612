#include "vulkan/recording/resident_memory.h"

#include <algorithm>
#include <cstring>
#include <string>
#include <utility>

#include "vulkan/recording/command_recorder.h"
#include "vulkan/recording/dispatch_program.h"
#include "vulkan/recording/one_off_commands.h"

namespace nnvk::vulkan {
namespace {

// A copy between staging and device memory. Keeps both memories alive until the copy has completed.
struct PendingCopy {
  Activity activity;
  Buffer staging;
  std::shared_ptr<const IoBuffer> memory;
};

// The copied range: bytes of the memory's buffer from `offset` on.
struct CopiedRange {
  uint64_t offset;
  uint64_t size;
  bool to_host;
};

// Submits the copy; `done` runs when it has completed.
Status submit_copy(Gpu& gpu, PendingCopy& work, const CopiedRange& range, CompletionQueue::Retire done) {
  const auto [offset, size, to_host] = range;
  const auto record = [&](VkCommandBuffer commands) {
    record_barrier(*gpu.context, commands, kAfterEarlierSubmissions);
    const VkBuffer memory = work.memory->handle();
    const VkBuffer staging = work.staging.handle();
    const VkBufferCopy region{to_host ? offset : 0, to_host ? 0 : offset, size};
    gpu.context->vk().vkCmdCopyBuffer(commands, to_host ? memory : staging, to_host ? staging : memory, 1, &region);
    if (to_host) record_barrier(*gpu.context, commands, kFromCopiesToHost);
  };
  return submit_once(gpu, work.activity, {"a copy of a memory", record}, std::move(done));
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

std::unique_ptr<DeviceMemory> ResidentMemory::of_application(std::shared_ptr<Gpu> gpu, std::shared_ptr<const IoBuffer> buffer,
                                                             uint64_t begin, uint64_t size, Access access) {
  std::unique_ptr<ResidentMemory> memory(new ResidentMemory(std::move(gpu), false));
  memory->buffer_ = std::move(buffer);
  memory->is_applications_ = true;
  memory->begin_ = begin;
  memory->size_ = size;
  memory->access_ = access;
  return memory;
}

uint64_t ResidentMemory::end() const {
  const std::lock_guard lock(mutex_);
  return is_applications_ ? begin_ + size_ : buffer_->size();
}

// Returns an error if the device or the host may not copy `bytes` at `offset`.
Status ResidentMemory::check_copy(bool to_host, uint64_t offset, uint64_t bytes) const {
  const uint64_t size = this->size();
  if (offset > size || bytes > size - offset) {
    return fail(Code::kBadData, std::to_string(bytes) + (to_host ? " bytes are read from " : " bytes are written to ") +
                                    std::to_string(size - std::min(offset, size)));
  }
  if (to_host ? !access_.read : !access_.write) {
    return fail(Code::kBadData, std::string("the memory was made without NNVK_VK_ACCESS_") + (to_host ? "READ" : "WRITE"));
  }
  const VkBufferUsageFlags needed = to_host ? VK_BUFFER_USAGE_TRANSFER_SRC_BIT : VK_BUFFER_USAGE_TRANSFER_DST_BIT;
  if ((buffer()->usage() & needed) != 0 || !buffer()->bytes().empty()) return {};
  return fail(Code::kBadData, std::string("the VkBuffer was made without VK_BUFFER_USAGE_TRANSFER_") + (to_host ? "SRC" : "DST") +
                                  "_BIT, which a copy needs");
}

Result<Fence> ResidentMemory::read_from(uint64_t offset, std::span<std::byte> host) const {
  NNVK_TRY(check_alive());
  NNVK_TRY(check_copy(true, offset, host.size()));
  if (host.empty()) return Fence::already_signalled();
  auto work = std::make_shared<PendingCopy>();
  work->memory = buffer();
  if (!work->memory->bytes().empty()) {
    std::memcpy(host.data(), work->memory->bytes().data() + offset, host.size());
    return Fence::already_signalled();
  }
  NNVK_ASSIGN(work->staging,
              Buffer::create(gpu_->context, host.size(), MemoryUse::kStaging, work->activity, "a result read back"));
  const Fence done = Fence::pending();
  NNVK_TRY(submit_copy(*gpu_, *work, {begin_ + offset, host.size(), true}, [work, host, done](const Status& result) {
    if (result) std::memcpy(host.data(), work->staging.bytes().data(), host.size());
    done.settle(result);
  }));
  return done;
}

// Returns an error if the device is lost, which a copy may reveal; the host would then read stale mapped memory.
Status ResidentMemory::check_alive() const {
  const Status alive = gpu_->context->check_lost();
  if (alive) return {};
  return fail(Code::kDeadObject, alive.error().message + "; memories on it are lost too: make them anew");
}

Result<Fence> ResidentMemory::write_to(uint64_t offset, std::span<const std::byte> host) {
  NNVK_TRY(check_alive());
  auto work = std::make_shared<PendingCopy>();
  NNVK_TRY(resize(host.size(), work->activity));
  NNVK_TRY(check_copy(false, offset, host.size()));
  if (host.empty()) return Fence::already_signalled();
  work->memory = buffer();
  if (!work->memory->bytes().empty()) {
    std::memcpy(work->memory->bytes().data() + offset, host.data(), host.size());
    return Fence::already_signalled();
  }
  NNVK_ASSIGN(work->staging, Buffer::create(gpu_->context, host.size(), MemoryUse::kStaging, work->activity, "a tensor written"));
  std::memcpy(work->staging.bytes().data(), host.data(), host.size());
  const Fence done = Fence::pending();
  NNVK_TRY(submit_copy(*gpu_, *work, {begin_ + offset, host.size(), false},
                       [work, done](const Status& result) { done.settle(result); }));
  return done;
}

}  // namespace nnvk::vulkan
