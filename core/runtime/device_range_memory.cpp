// The rules for memory that the CPU cannot map. Clients bind any part of a range, but an image only as a whole.
#include "core/runtime/device_range_memory.h"

#include <string>
#include <utility>

namespace nnvk {
namespace {

// Has no constants and no mapping, and allows only the accesses that the client allows.
class DeviceRangeMemory final : public Memory {
 public:
  DeviceRangeMemory(std::unique_ptr<DeviceMemory> bytes, bool readable, bool writable, PrepareImage prepare_image)
      : bytes_(std::move(bytes)), readable_(readable), writable_(writable), prepare_image_(std::move(prepare_image)) {}

  Result<std::span<std::byte>> map(MapAccess) const override {
    return fail(Code::kUnmappable, "the memory lies in a buffer or an image of a device; copy it to other memory to look at it");
  }
  DeviceMemory* device_memory() const override { return bytes_.get(); }

  Status check_constant_range(size_t, size_t) const override { return check_usable_for_constants(); }
  Status check_usable_for_constants() const override {
    return fail(Code::kBadData,
                "memory in a buffer or an image of a device cannot hold constants of a model; use memory of the host");
  }

  Status check_region(const MemoryUse& use, const MemoryRegion& region) const override {
    if (!(use.is_input ? readable_ : writable_)) {
      return fail(Code::kBadData, std::string("the memory was made without NNVK_VK_ACCESS_") +
                                      (use.is_input ? "READ, which inputs need" : "WRITE, which outputs need"));
    }
    if (prepare_image_ == nullptr) return check_memory_range(bytes_->size(), region.offset, region.length);
    if (region.offset == 0 && region.length == 0) return {};
    return fail(Code::kBadData, "an image is bound as a whole, with offset 0 and length 0, not " + std::to_string(region.length) +
                                    " bytes at " + std::to_string(region.offset));
  }
  Status prepare_for(const OperandInfo& tensor, bool is_input) override {
    return prepare_image_ == nullptr ? Status() : prepare_image_(tensor, is_input);
  }

  Result<uint64_t> logical_size() const override { return bytes_->size(); }

 private:
  const std::unique_ptr<DeviceMemory> bytes_;
  const bool readable_;
  const bool writable_;
  const PrepareImage prepare_image_;  // null: a range of bytes
};

}  // namespace

std::unique_ptr<Memory> make_device_range_memory(std::unique_ptr<DeviceMemory> bytes, bool readable, bool writable,
                                                 PrepareImage prepare_image) {
  return std::make_unique<DeviceRangeMemory>(std::move(bytes), readable, writable, std::move(prepare_image));
}

}  // namespace nnvk
