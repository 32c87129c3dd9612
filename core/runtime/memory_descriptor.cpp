// Checks roles and shapes of memory descriptors, and implements the memory made from them.
#include "core/runtime/memory_descriptor.h"

#include <algorithm>
#include <mutex>
#include <string>

#include "core/base/log.h"
#include "core/base/shortest_text.h"
#include "core/model/control_flow_rules.h"
#include "core/runtime/compilation.h"
#include "core/runtime/device.h"

namespace nnvk {
namespace {

constexpr size_t kAlignment = 64;

// Memory on a device or on the host, uninitialised until the first write.
class RoleMemory final : public Memory {
 public:
  // If `on_device` is null, the memory is on the host; the size must then be known.
  RoleMemory(OperandInfo info, std::vector<MemoryUse> roles, std::unique_ptr<DeviceMemory> on_device)
      : info_(std::move(info)), roles_(std::move(roles)), on_device_(std::move(on_device)) {
    if (on_device_ != nullptr) return;
    size_ = *info_.byte_size();
    bytes_.reset(static_cast<std::byte*>(::operator new(size_, std::align_val_t(kAlignment))));
  }

  Result<std::span<std::byte>> map(MapAccess) const override {
    if (on_device_ == nullptr) return std::span(bytes_.get(), size_);
    return fail(Code::kUnmappable, "the memory lives on a device; copy it to other memory to look at it");
  }
  DeviceMemory* device_memory() const override { return on_device_.get(); }

  Status check_constant_range(size_t, size_t) const override { return check_usable_for_constants(); }

  Status check_usable_for_constants() const override {
    return fail(Code::kBadData, "memory made from a descriptor cannot hold constants of a model");
  }

  Status check_region(const MemoryUse& use, const MemoryRegion& region) const override {
    if (std::find(roles_.begin(), roles_.end(), use) == roles_.end()) {
      return fail(Code::kBadData, std::string("the descriptor of the memory has no role as ") +
                                      (use.is_input ? "input " : "output ") + std::to_string(use.index) + " of this compilation");
    }
    if (region.offset != 0 || region.length != 0) {
      return fail(Code::kBadData, "memory made from a descriptor is used as a whole: offset and length must be 0");
    }
    if (region.shape_override == nullptr) return {};
    const Shape& shape = *region.shape_override;
    const bool fits = info_.is_scalar() ? shape.rank() == 0 : merge_shapes(shape, info_.shape).has_value();
    if (!fits) {
      return fail(Code::kBadData,
                  "the type given is " + shape.to_string() + ", the memory was made for " + info_.shape.to_string());
    }
    return {};
  }

  Status check_readable_as(const Shape& shape) const override {
    const std::lock_guard lock(mutex_);
    if (!initialised_) return fail(Code::kOpFailed, "the memory made from a descriptor was not written yet");
    if (!info_.is_scalar() && shape != current_) {
      return fail(Code::kOpFailed, "the memory holds " + current_.to_string() + ", the input is " + shape.to_string());
    }
    return {};
  }

  void mark_written(const Shape& shape) override {
    const std::lock_guard lock(mutex_);
    initialised_ = true;
    current_ = shape;
  }

  void mark_undefined() override {
    const std::lock_guard lock(mutex_);
    initialised_ = false;
  }

  Result<uint64_t> logical_size() const override {
    const auto size = info_.byte_size();
    if (size) return *size;
    return fail(Code::kBadData, "the memory was made for the open shape " + info_.shape.to_string() +
                                    "; only memory made from a descriptor and executions say what it must hold");
  }

  std::optional<OperandInfo> declared_info() const override { return info_; }
  std::optional<OperandInfo> content_info() const override {
    const std::lock_guard lock(mutex_);
    OperandInfo info = info_;
    if (initialised_) info.shape = current_;
    return info;
  }

 private:
  struct AlignedDelete {
    void operator()(std::byte* p) const { ::operator delete(p, std::align_val_t(kAlignment)); }
  };

  const OperandInfo info_;
  const std::vector<MemoryUse> roles_;
  const std::unique_ptr<DeviceMemory> on_device_;
  size_t size_ = 0;  // on the host
  std::unique_ptr<std::byte, AlignedDelete> bytes_;
  mutable std::mutex mutex_;  // guards the following members
  bool initialised_ = false;
  Shape current_;
};

}  // namespace

Status MemoryDescriptor::require_open() const {
  if (!finished_) return {};
  return fail(Code::kBadState, "the memory descriptor is finished and cannot change any more");
}

Status MemoryDescriptor::add_role(const Compilation& compilation, bool is_input, uint32_t index, float frequency) {
  NNVK_TRY(require_open());
  const MemoryUse use{&compilation, is_input, index};
  const std::string role = std::string(is_input ? "input " : "output ") + std::to_string(index);
  if (std::find(roles_.begin(), roles_.end(), use) != roles_.end()) return fail(Code::kBadData, role + " is a role already");
  if (const Status ready = compilation.require_ready(); !ready) return fail(Code::kBadData, ready.error().text());
  const auto& infos = is_input ? compilation.input_infos() : compilation.output_infos();
  if (index >= infos.size()) {
    return fail(Code::kBadData, role + " does not exist: the model has " + std::to_string(infos.size()));
  }
  const OperandInfo& info = infos[index];
  if (info_) {
    OperandInfo of_any_shape = *info_;
    of_any_shape.shape = Shape::unknown_rank();
    if (!are_compatible(of_any_shape, info)) {
      return fail(Code::kBadData, role + " is " + operand_type_name(info.type) +
                                      "; its type, scale, zero point or channel scales differ from an earlier role");
    }
  }
  const bool scalar = !info.is_tensor();
  if (scalar && shape_.rank_known && shape_.rank() > 0) {
    return fail(Code::kBadData, role + " is a scalar but dimensions are set");
  }
  const auto merged = scalar ? std::optional<Shape>(shape_) : merge_shapes(shape_, info.shape);
  if (!merged) {
    return fail(Code::kBadData, role + " has shape " + info.shape.to_string() + ", which contradicts " + shape_.to_string());
  }
  // Written so that NaN fails.
  if (!(frequency > 0.0F && frequency <= 1.0F)) {
    return fail(Code::kBadData, "frequency " + shortest_text(frequency) + " is not in (0, 1]");
  }
  roles_.push_back(use);
  if (compilation.parts().size() == 1 && compilation.parts()[0].prepared == &compilation.runner()) {
    plan_roles_.push_back({&compilation.runner(), is_input, index});
  }
  shape_ = *merged;
  is_scalar_ = scalar;
  client_chose_devices_ = client_chose_devices_ || compilation.has_explicit_devices();
  for (Device* device : compilation.devices_used()) {
    if (std::find(devices_.begin(), devices_.end(), device) == devices_.end()) devices_.push_back(device);
  }
  if (!info_) info_ = info;
  return {};
}

Status MemoryDescriptor::set_dimensions(std::span<const uint32_t> dimensions) {
  NNVK_TRY(require_open());
  if (dimensions.empty()) return {};
  if (is_scalar_) return fail(Code::kBadData, "the roles are scalars, they have no dimensions");
  Shape shape(std::vector<uint32_t>(dimensions.begin(), dimensions.end()));
  std::replace(shape.dims.begin(), shape.dims.end(), 0U, kUnknownDimension);
  const auto merged = merge_shapes(shape_, shape);
  if (!merged) return fail(Code::kBadData, "dimensions " + shape.to_string() + " contradict " + shape_.to_string());
  shape_ = *merged;
  return {};
}

Status MemoryDescriptor::finish() {
  NNVK_TRY(require_open());
  if (roles_.empty()) return fail(Code::kBadData, "the memory descriptor has no role; add one first");
  finished_ = true;
  return {};
}

Result<std::unique_ptr<Memory>> MemoryDescriptor::allocate() const {
  if (!finished_) return fail(Code::kBadState, "the memory descriptor is not finished");
  OperandInfo info = *info_;
  if (!is_scalar_) info.shape = shape_;
  const uint64_t size = info.byte_size().value_or(0);
  const bool is_known = size > 0;
  if (devices_.size() > 1 && client_chose_devices_) {
    return fail(Code::kOpFailed, "the roles belong to several devices that the client chose; no memory serves all of them");
  }
  if (devices_.size() == 1) {
    MemoryRequest request{size, !is_known};
    if (plan_roles_.size() == roles_.size()) request.roles = plan_roles_;
    auto memory = devices_[0]->allocate(request);
    if (memory) return std::make_unique<RoleMemory>(std::move(info), roles_, std::move(*memory));
    // OP_FAILED: the device has no memory of its own. After other errors, host memory may take the device memory's place.
    if (memory.error().code != Code::kOpFailed) {
      if (client_chose_devices_ || !is_known) return fail(memory.error().on_device(devices_[0]->info().name));
      log_line(LogLevel::kWarning, "Memory", memory.error().text() + "; host memory takes its place");
    }
  }
  if (!is_known) {
    return fail(Code::kOpFailed, "memory of shape " + info.shape.to_string() +
                                     " cannot be allocated: its size is not known; call ANeuralNetworksMemoryDesc_setDimensions");
  }
  return std::make_unique<RoleMemory>(std::move(info), roles_, nullptr);
}

}  // namespace nnvk
