#include "accelerators/plugin_memory.h"

#include <cstring>

namespace nnvk::accelerators {

Result<std::unique_ptr<PluginMemory>> PluginMemory::create(std::shared_ptr<const PluginContext> context,
                                                           const MemoryRequest& request) {
  std::unique_ptr<PluginMemory> memory(new PluginMemory(std::move(context), request));
  NNVK_TRY(memory->make_room(request.size));
  return memory;
}

// Makes room for `size` bytes. Call it with the mutex locked, or before other threads know the memory.
Status PluginMemory::make_room(uint64_t size) {
  if (size > 0 && (buffer_ == nullptr || buffer_->bytes().size() < size)) {
    NNVK_ASSIGN(buffer_, SharedBuffer::create(context_->driver, size));
  }
  size_ = size;
  return {};
}

uint64_t PluginMemory::size() const {
  const std::lock_guard lock(mutex_);
  return size_;
}

Result<Fence> PluginMemory::read_from(uint64_t offset, std::span<std::byte> host) const {
  const std::lock_guard lock(mutex_);
  if (offset > size_ || host.size() > size_ - offset) return fail(Code::kBadData, "more is read than the memory holds");
  if (!host.empty()) std::memcpy(host.data(), buffer_->bytes().data() + offset, host.size());
  return Fence::already_signalled();
}

Result<Fence> PluginMemory::write_to(uint64_t offset, std::span<const std::byte> host) {
  const std::lock_guard lock(mutex_);
  if (grows_) NNVK_TRY(make_room(host.size()));
  if (offset > size_ || host.size() > size_ - offset) {
    return fail(Code::kBadData, "more is written than the memory has room for");
  }
  if (!host.empty()) std::memcpy(buffer_->bytes().data() + offset, host.data(), host.size());
  return Fence::already_signalled();
}

std::span<std::byte> PluginMemory::bytes(uint64_t offset, std::shared_ptr<SharedBuffer>& buffer) const {
  const std::lock_guard lock(mutex_);
  buffer = buffer_;
  if (buffer_ == nullptr || offset > size_) return {};
  return buffer_->bytes().subspan(offset, size_ - offset);
}

}  // namespace nnvk::accelerators
