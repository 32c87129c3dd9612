// The rules for memory that the CPU cannot map. Clients bind any part of a range, but an image only as a whole.
#include "core/runtime/device_range_memory.h"

#include <string>
#include <utility>

namespace nnvk {
namespace {

// The common part of both kinds of memory. It has no constants and no mapping, and allows only the accesses that the client
// allows.
class MemoryOfDevice : public Memory {
 public:
  MemoryOfDevice(std::unique_ptr<DeviceMemory> bytes, bool readable, bool writable)
      : bytes_(std::move(bytes)), readable_(readable), writable_(writable) {}

  Result<std::span<std::byte>> map(MapAccess) const override {
    return fail(Code::kUnmappable, "the memory lies in a buffer or an image of a device; copy it to other memory to look at it");
  }
  DeviceMemory* device_memory() const override { return bytes_.get(); }

  Status check_constant_range(size_t, size_t) const override { return check_usable_for_constants(); }
  Status check_usable_for_constants() const override {
    return fail(Code::kBadData,
                "memory in a buffer or an image of a device cannot hold constants of a model; use memory of the host");
  }

  Result<uint64_t> logical_size() const override { return bytes_->size(); }

 protected:
  Status check_access(const MemoryUse& use) const {
    if (use.is_input ? readable_ : writable_) return {};
    return fail(Code::kBadData, std::string("the memory was made without NNVK_VK_ACCESS_") +
                                    (use.is_input ? "READ, which inputs need" : "WRITE, which outputs need"));
  }

  const std::unique_ptr<DeviceMemory> bytes_;

 private:
  const bool readable_;
  const bool writable_;
};

class DeviceRangeMemory final : public MemoryOfDevice {
 public:
  using MemoryOfDevice::MemoryOfDevice;

  Status check_region(const MemoryUse& use, const MemoryRegion& region) const override {
    NNVK_TRY(check_access(use));
    return check_memory_range(bytes_->size(), region.offset, region.length);
  }
};

class DeviceImageMemory final : public MemoryOfDevice {
 public:
  DeviceImageMemory(std::unique_ptr<DeviceMemory> image, bool readable, bool writable, PrepareImage prepare)
      : MemoryOfDevice(std::move(image), readable, writable), prepare_(std::move(prepare)) {}

  Status check_region(const MemoryUse& use, const MemoryRegion& region) const override {
    NNVK_TRY(check_access(use));
    if (region.offset == 0 && region.length == 0) return {};
    return fail(Code::kBadData, "an image is bound as a whole, with offset 0 and length 0, not " + std::to_string(region.length) +
                                    " bytes at " + std::to_string(region.offset));
  }
  Status prepare_for(const OperandInfo& tensor, bool is_input) override { return prepare_(tensor, is_input); }

 private:
  const PrepareImage prepare_;
};

}  // namespace

std::unique_ptr<Memory> make_device_range_memory(std::unique_ptr<DeviceMemory> bytes, bool readable, bool writable) {
  return std::make_unique<DeviceRangeMemory>(std::move(bytes), readable, writable);
}

std::unique_ptr<Memory> make_device_image_memory(std::unique_ptr<DeviceMemory> image, bool readable, bool writable,
                                                 PrepareImage prepare) {
  return std::make_unique<DeviceImageMemory>(std::move(image), readable, writable, std::move(prepare));
}

}  // namespace nnvk
