// Memory of a plugin's device: shared with the driver, so that executions need no copy, and mapped in this process.
#pragma once

#include <memory>
#include <mutex>

#include "accelerators/plugin_context.h"
#include "accelerators/shared_memory.h"
#include "core/runtime/device.h"

namespace nnvk::accelerators {

class PluginMemory final : public DeviceMemory {
 public:
  static Result<std::unique_ptr<PluginMemory>> create(std::shared_ptr<const PluginContext> context, const MemoryRequest& request);

  uint64_t size() const override;
  bool grows() const override { return grows_; }
  Result<Fence> read_from(uint64_t offset, std::span<std::byte> host) const override;
  Result<Fence> write_to(uint64_t offset, std::span<const std::byte> host) override;

  bool belongs_to(const PluginContext& context) const { return context_.get() == &context; }
  // Returns the bytes from `offset` to the end; they stay valid as long as `buffer`.
  std::span<std::byte> bytes(uint64_t offset, std::shared_ptr<SharedBuffer>& buffer) const;

 private:
  PluginMemory(std::shared_ptr<const PluginContext> context, const MemoryRequest& request)
      : context_(std::move(context)), grows_(request.grows) {}
  Status make_room(uint64_t size);

  const std::shared_ptr<const PluginContext> context_;
  const bool grows_;
  mutable std::mutex mutex_;
  std::shared_ptr<SharedBuffer> buffer_;  // at least as large as the memory; null: that is empty
  uint64_t size_ = 0;
};

}  // namespace nnvk::accelerators
