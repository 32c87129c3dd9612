// The rules of memory with a size, for bytes that cannot be mapped.
#include "core/runtime/device_range_memory.h"

#include <string>
#include <utility>

namespace nnvk {
namespace {

class DeviceRangeMemory final : public Memory {
 public:
  DeviceRangeMemory(std::unique_ptr<DeviceMemory> bytes, bool readable, bool writable)
      : bytes_(std::move(bytes)), readable_(readable), writable_(writable) {}

  Result<std::span<std::byte>> map(MapAccess) const override {
    return fail(Code::kUnmappable, "the memory lies in a buffer of a device; copy it to other memory to look at it");
  }
  DeviceMemory* device_memory() const override { return bytes_.get(); }

  Status check_constant_range(size_t, size_t) const override { return check_usable_for_constants(); }
  Status check_usable_for_constants() const override {
    return fail(Code::kBadData, "memory in a buffer of a device cannot hold constants of a model; use memory of the host");
  }

  Status check_region(const MemoryUse& use, const MemoryRegion& region) const override {
    if (use.is_input ? !readable_ : !writable_) {
      return fail(Code::kBadData, std::string("the memory was made without NNVK_VK_ACCESS_") +
                                      (use.is_input ? "READ, which inputs need" : "WRITE, which outputs need"));
    }
    return check_memory_range(bytes_->size(), region.offset, region.length);
  }

  Result<uint64_t> logical_size() const override { return bytes_->size(); }

 private:
  const std::unique_ptr<DeviceMemory> bytes_;
  const bool readable_;
  const bool writable_;
};

}  // namespace

std::unique_ptr<Memory> make_device_range_memory(std::unique_ptr<DeviceMemory> bytes, bool readable, bool writable) {
  return std::make_unique<DeviceRangeMemory>(std::move(bytes), readable, writable);
}

}  // namespace nnvk
