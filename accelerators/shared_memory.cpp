#include "accelerators/shared_memory.h"

#include <utility>

#include "core/runtime/sealed_memory.h"

namespace nnvk::accelerators {
namespace {

// A client mapping's attachment for one driver: its region, or the fact that it has none.
struct MappedRegion final : MappedMemory::Attachment {
  explicit MappedRegion(std::shared_ptr<Region> of_mapping) : region(std::move(of_mapping)) {}

  const std::shared_ptr<Region> region;
};

}  // namespace

Region::~Region() {
  if (id_ != RegionId::kNone && driver_->generation() == generation_) driver_->unshare(id_);
}

Result<RegionId> Region::id() {
  const std::lock_guard lock(mutex_);
  const uint64_t generation = driver_->generation();
  if (id_ != RegionId::kNone && generation_ == generation) return id_;
  id_ = RegionId::kNone;
  NNVK_ASSIGN(id_, driver_->share(memory_));
  generation_ = generation;
  return id_;
}

SharedBuffer::SharedBuffer(const std::shared_ptr<Driver>& driver, std::unique_ptr<MappedMemory> memory)
    : memory_(std::move(memory)),
      region_(std::make_unique<Region>(driver, SharedMemory{.fd = memory_->sealed_file()->fd, .size = memory_->bytes().size()})) {
}

Result<std::shared_ptr<SharedBuffer>> SharedBuffer::create(const std::shared_ptr<Driver>& driver, uint64_t size) {
  NNVK_ASSIGN(auto memory, make_sealed_memory(size));
  return std::shared_ptr<SharedBuffer>(new SharedBuffer(driver, std::move(memory)));
}

Result<SharedRange> SharedBuffer::range(uint64_t offset, uint64_t length) const {
  NNVK_ASSIGN(const RegionId id, region_->id());
  return SharedRange{id, offset, length};
}

std::shared_ptr<Region> region_of(MappedMemory& mapping, const std::shared_ptr<Driver>& driver) {
  auto& attachment = mapping.attachment(driver.get(), [&]() -> std::unique_ptr<MappedMemory::Attachment> {
    SharedMemory memory{.size = mapping.bytes().size(), .writable = mapping.is_writable()};
    if (const auto& dma_buf = mapping.dma_buf()) {
      memory.fd = dma_buf->fd;
      memory.offset = dma_buf->offset;
      memory.is_dma_buf = true;
    } else if (const auto& file = mapping.sealed_file()) {
      memory.fd = file->fd;
      memory.offset = file->offset;
    } else {
      return std::make_unique<MappedRegion>(nullptr);
    }
    return std::make_unique<MappedRegion>(std::make_shared<Region>(driver, memory));
  });
  return static_cast<MappedRegion&>(attachment).region;
}

}  // namespace nnvk::accelerators
