// Memory of nnvk-cpu: host memory that passes data between executions.
#pragma once

#include <algorithm>
#include <cstddef>
#include <vector>

#include "core/runtime/device.h"

namespace nnvk::cpu {

class CpuMemory final : public DeviceMemory {
 public:
  // Allocates the memory; may throw std::bad_alloc. `owner` distinguishes the memories of several devices.
  CpuMemory(const MemoryRequest& request, const Device& owner) : bytes_(request.size), owner_(owner), grows_(request.grows) {}

  uint64_t size() const override { return bytes_.size(); }
  bool grows() const override { return grows_; }
  Result<Fence> read_from(uint64_t offset, std::span<std::byte> host) const override {
    if (offset > bytes_.size() || host.size() > bytes_.size() - offset)
      return fail(Code::kBadData, "more is read than the memory holds");
    std::copy_n(bytes_.data() + offset, host.size(), host.begin());
    return Fence::already_signalled();
  }
  Result<Fence> write_to(uint64_t offset, std::span<const std::byte> host) override {
    if (grows_) bytes_.resize(host.size());
    if (offset > bytes_.size() || host.size() > bytes_.size() - offset)
      return fail(Code::kBadData, "more is written than the memory has room for");
    std::copy(host.begin(), host.end(), bytes_.data() + offset);
    return Fence::already_signalled();
  }

  bool belongs_to(const Device& device) const { return &owner_ == &device; }
  // Makes `binding` refer to this memory's bytes instead of to device memory.
  void bind(Binding& binding, bool is_output) {
    binding.device_memory = nullptr;
    if (is_output && grows_) {
      binding.growable = &bytes_;
      return;
    }
    const size_t offset = std::min(binding.device_offset, bytes_.size());
    binding.data = bytes_.data() + offset;
    binding.size = bytes_.size() - offset;
  }

 private:
  std::vector<std::byte> bytes_;
  const Device& owner_;
  const bool grows_;
};

}  // namespace nnvk::cpu
