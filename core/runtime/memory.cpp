// Memory behind file descriptors, and copies between memories of any kind.
#include "core/runtime/memory.h"
#include "core/runtime/file_mapping.h"

#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <mutex>
#include <string>
#include <vector>

#include "core/base/file_descriptor.h"
#include "core/model/control_flow_rules.h"
#include "core/runtime/device.h"
#include "core/runtime/picture_input.h"
#include "core/runtime/shrinkable_file.h"

namespace nnvk {
namespace {

std::string errno_text() { return std::strerror(errno); }

class FdMemory : public Memory {
 public:
  FdMemory(size_t size, int protection, FileDescriptor fd, size_t offset, ShrinkableUse use)
      : size_(size),
        protection_(protection),
        fd_(std::make_shared<const FileDescriptor>(std::move(fd))),
        offset_(offset),
        use_(use) {}

  Result<std::span<std::byte>> map(MapAccess access) const override {
    const std::lock_guard lock(mutex_);
    NNVK_TRY(check_protection(protection_, access == MapAccess::kWrite));
    if (file() != nullptr) {
      if (use_ == ShrinkableUse::kCopied) return fail(Code::kUnmappable, "memory that may become shorter is copied, not mapped");
      NNVK_TRY(file()->check());
    }
    if (mapping_ == nullptr) NNVK_TRY(map_now());
    return mapping_->bytes();
  }

  std::shared_ptr<MappedMemory> mapping(MapAccess) const override {
    if ((protection_ & PROT_READ) == 0) return nullptr;  // devices also read the memory that they write
    const std::lock_guard lock(mutex_);
    return mapping_;
  }

  DeviceMemory* device_memory() const override {
    const std::lock_guard lock(mutex_);
    return use_ == ShrinkableUse::kCopied ? file().get() : nullptr;
  }

  std::shared_ptr<const ShrinkableFile> shrinkable_file() const override {
    const std::lock_guard lock(mutex_);
    return file();
  }

  Result<ConstantBytes> constant(size_t offset, size_t length) const override {
    const DeviceMemory* const read = device_memory();
    if (read == nullptr) return Memory::constant(offset, length);
    NNVK_TRY(check_memory_range(size_, offset, length));
    const auto copy = std::make_shared<std::vector<std::byte>>(length);
    NNVK_TRY(read->read_from(offset, *copy));
    return ConstantBytes{*copy, copy};
  }

  Status check_constant_range(size_t offset, size_t length) const override { return check_memory_range(size_, offset, length); }

  Status check_usable_for_constants() const override {
    if (size_ == 0) return fail(Code::kBadData, "the memory must have at least one byte");
    if ((protection_ & ~(PROT_READ | PROT_WRITE)) != 0) {
      return fail(Code::kBadData, "the memory was created with protection " + std::to_string(protection_) +
                                      "; only PROT_READ and PROT_WRITE are possible");
    }
    return {};
  }

  Status check_region(const MemoryUse&, const MemoryRegion& region) const override {
    return check_memory_range(size_, region.offset, region.length);
  }

  Result<uint64_t> logical_size() const override { return size_; }

 private:
  // Returns the file; null if it cannot become shorter. The client may seal the file until the first call. Callers hold mutex_.
  const std::shared_ptr<ShrinkableFile>& file() const {
    if (!is_examined_ && can_shrink(fd_->get())) file_ = std::make_shared<ShrinkableFile>(fd_, offset_, size_, protection_);
    is_examined_ = true;
    return file_;
  }

  Status map_now() const {
    struct stat facts {};
    // Only regular files have a size; devices have none.
    if (::fstat(fd_->get(), &facts) == 0 && S_ISREG(facts.st_mode) &&
        !fits_into_file(offset_, size_, static_cast<uint64_t>(facts.st_size))) {
      return fail(Code::kUnmappable, "the file has " + std::to_string(facts.st_size) + " bytes, the memory needs " +
                                         std::to_string(size_) + " at offset " + std::to_string(offset_));
    }
    auto mapping = std::make_shared<FileMapping>();
    if (!mapping->map(fd_->get(), size_, protection_, offset_)) {
      return fail(Code::kUnmappable, "mmap of " + std::to_string(size_) + " bytes at offset " + std::to_string(offset_) +
                                         " failed: " + errno_text() + " (the offset must be a multiple of " +
                                         std::to_string(::sysconf(_SC_PAGESIZE)) + ")");
    }
    std::optional<MappedMemory::SealedFile> sealed;
    const int seals = ::fcntl(fd_->get(), F_GET_SEALS);  // of a memfd; nothing else has any
    if (seals > 0 && (seals & F_SEAL_SHRINK) != 0) sealed = {fd_->get(), offset_};
    const std::span<std::byte> bytes = mapping->bytes();
    mapping_ = std::make_shared<MappedMemory>(
        bytes, (protection_ & PROT_WRITE) != 0, [mapping = std::move(mapping), fd = fd_]() mutable { mapping = nullptr; },
        std::nullopt, sealed);
    return {};
  }

  const size_t size_;
  const int protection_;
  const std::shared_ptr<const FileDescriptor> fd_;  // shared with the mapping, which may live longer
  const size_t offset_;
  const ShrinkableUse use_;
  mutable std::mutex mutex_;  // guards the following members
  mutable std::shared_ptr<MappedMemory> mapping_;
  mutable bool is_examined_ = false;
  mutable std::shared_ptr<ShrinkableFile> file_;  // null also if it cannot become shorter
};

}  // namespace

Result<PictureExtent> Memory::picture_extent() const {
  NNVK_ASSIGN(const std::shared_ptr<const PicturePixels> pixels, lock_picture());
  return PictureExtent{pixels->layout(), pixels->bytes().size()};
}

Result<ConstantBytes> Memory::constant(size_t offset, size_t length) const {
  NNVK_ASSIGN(const std::span<std::byte> all, map(MapAccess::kRead));
  if (offset > all.size() || length > all.size() - offset) return fail(Code::kUnmappable, "it lies outside its memory");
  return ConstantBytes{all.subspan(offset, length), nullptr};
}

Status check_memory_range(size_t size, size_t offset, size_t length) {
  if (offset == 0 && length == 0) return fail(Code::kBadData, "offset and length are both 0: give the length of the region");
  if (offset > size || length > size - offset) {
    return fail(Code::kBadData, "the region at " + std::to_string(offset) + " of " + std::to_string(length) +
                                    " bytes does not lie inside the memory of " + std::to_string(size) + " bytes");
  }
  return {};
}

namespace {

// Copies the bytes between memories of any kind. Bytes that only a device can access pass through host memory.
Status copy_bytes(const Memory& source, Memory& destination, uint64_t size) {
  std::vector<std::byte> passing;
  std::span<const std::byte> bytes;
  if (const DeviceMemory* memory = source.device_memory()) {
    passing.resize(size);
    NNVK_ASSIGN(const Fence read, memory->read(passing));
    NNVK_TRY(read.wait());
    bytes = passing;
  } else {
    NNVK_ASSIGN(bytes, source.map(MapAccess::kRead));
    bytes = bytes.first(size);
  }
  if (DeviceMemory* memory = destination.device_memory()) {
    NNVK_ASSIGN(const Fence written, memory->write(bytes));
    return written.wait();
  }
  NNVK_ASSIGN(const std::span<std::byte> target, destination.map(MapAccess::kWrite));
  std::memcpy(target.data(), bytes.data(), bytes.size());
  return {};
}

}  // namespace

Status copy_memory(Memory& source, Memory& destination) {
  if (&source == &destination) return {};
  const auto from = source.content_info();
  const auto to = destination.declared_info();
  if (from) {
    if (const Status status = source.check_readable_as(from->shape); !status) return fail(Code::kBadData, status.error().text());
  }
  const auto copy = [&]() -> Status {
    if (from && to && !are_compatible(*from, *to)) {
      return fail(Code::kBadData, "source and destination must hold the same type and shape, but hold " +
                                      operand_type_name(from->type) + " " + from->shape.to_string() + " and " +
                                      operand_type_name(to->type) + " " + to->shape.to_string());
    }
    uint64_t size = from ? from->byte_size().value_or(0) : 0;
    if (!from) {
      NNVK_ASSIGN(size, source.logical_size());
    }
    if (!from || !to) {
      NNVK_ASSIGN(const uint64_t to_size, destination.logical_size());
      if (size != to_size) {
        return fail(Code::kBadData, "source and destination must have the same size, but have " + std::to_string(size) + " and " +
                                        std::to_string(to_size) + " bytes");
      }
    }
    return copy_bytes(source, destination, size);
  };
  Status status = copy();
  if (!status) {
    destination.mark_undefined();
  } else {
    destination.mark_written(from ? from->shape : to ? to->shape : Shape());
  }
  return status;
}

Result<std::unique_ptr<Memory>> make_fd_memory(size_t size, int protection, int fd, size_t offset, ShrinkableUse use) {
  if (fd < 0) return fail(Code::kOpFailed, "a file descriptor may not be negative, but is " + std::to_string(fd));
  FileDescriptor copy = FileDescriptor::duplicate(fd);
  if (!copy) return fail(Code::kOpFailed, "file descriptor " + std::to_string(fd) + " cannot be duplicated: " + errno_text());
  return std::make_unique<FdMemory>(size, protection, std::move(copy), offset, use);
}

}  // namespace nnvk
