// memfds, seals and mappings.
#include "accelerators/shared_memory.h"

#include <fcntl.h>
#include <sys/mman.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <string>
#include <utility>

namespace nnvk::accelerators {
namespace {

// What a mapping has for one driver: its region, or the knowledge that there is none.
class MappedRegion final : public MappedMemory::Attachment {
 public:
  explicit MappedRegion(std::shared_ptr<Region> region) : region_(std::move(region)) {}
  const std::shared_ptr<Region>& region() const { return region_; }

 private:
  const std::shared_ptr<Region> region_;
};

}  // namespace

Region::~Region() {
  if (id_ != RegionId::kNone) driver_->unshare(id_);
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

SharedBuffer::SharedBuffer(const std::shared_ptr<Driver>& driver, FileDescriptor fd, std::span<std::byte> bytes)
    : fd_(std::move(fd)),
      bytes_(bytes),
      region_(std::make_unique<Region>(driver, SharedMemory{.fd = fd_.get(), .size = bytes.size()})) {}

Result<std::shared_ptr<SharedBuffer>> SharedBuffer::create(const std::shared_ptr<Driver>& driver, uint64_t size) {
  if (size == 0) size = 1;
  const auto failed = [&](const char* what) {
    const bool of_descriptors = errno == EMFILE || errno == ENFILE;
    return fail(of_descriptors ? Code::kResourceExhaustedTransient : Code::kOutOfMemory,
                "no " + std::to_string(size) + " bytes to share with a plugin: " + what + ": " + std::strerror(errno));
  };
  FileDescriptor fd(::memfd_create("nnvk plugin", MFD_CLOEXEC | MFD_ALLOW_SEALING));
  if (!fd) return failed("memfd_create");
  if (size > INT64_MAX) {
    errno = ENOMEM;
    return failed("ftruncate");
  }
  if (::ftruncate(fd.get(), static_cast<off_t>(size)) != 0) return failed("ftruncate");
  if (::fcntl(fd.get(), F_ADD_SEALS, F_SEAL_SHRINK | F_SEAL_GROW | F_SEAL_SEAL) != 0) return failed("F_ADD_SEALS");
  void* const address = ::mmap(nullptr, size, PROT_READ | PROT_WRITE, MAP_SHARED, fd.get(), 0);
  if (address == MAP_FAILED) return failed("mmap");
  return std::shared_ptr<SharedBuffer>(
      new SharedBuffer(driver, std::move(fd), std::span(static_cast<std::byte*>(address), size)));
}

SharedBuffer::~SharedBuffer() { ::munmap(bytes_.data(), bytes_.size()); }

Result<SharedRange> SharedBuffer::range(uint64_t offset, uint64_t length) const {
  NNVK_ASSIGN(const RegionId id, region_->id());
  return SharedRange{id, offset, length};
}

std::shared_ptr<Region> region_of(MappedMemory& mapping, const std::shared_ptr<Driver>& driver) {
  auto& attachment = mapping.attachment(driver.get(), [&]() -> std::unique_ptr<MappedMemory::Attachment> {
    SharedMemory memory;
    memory.size = mapping.bytes().size();
    memory.writable = mapping.is_writable();
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
  return static_cast<MappedRegion&>(attachment).region();
}

}  // namespace nnvk::accelerators
