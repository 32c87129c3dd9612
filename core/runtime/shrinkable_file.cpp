// Reads and writes the file by pread and pwrite instead of a mapping.
#include "core/runtime/shrinkable_file.h"

#include <sys/mman.h>
#include <sys/stat.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <string>

namespace nnvk {
namespace {

tl::unexpected<Error> unmappable(std::string text) { return fail(Code::kUnmappable, std::move(text)); }

}  // namespace

Status check_protection(int protection, bool is_to_write) {
  if ((protection & (is_to_write ? PROT_WRITE : PROT_READ)) != 0) return {};
  return unmappable(std::string("the memory was created without ") +
                    (is_to_write ? "PROT_WRITE but must be written" : "PROT_READ but must be read"));
}

bool can_shrink(int fd) {
  struct stat facts {};
  if (::fstat(fd, &facts) != 0 || !S_ISREG(facts.st_mode)) return false;
  const int seals = ::fcntl(fd, F_GET_SEALS);  // of a memfd; nothing else has any
  return seals < 0 || (seals & F_SEAL_SHRINK) == 0;
}

Status ShrinkableFile::check() const {
  struct stat facts {};
  if (::fstat(fd_->get(), &facts) != 0) return unmappable(std::string("its file tells no size: ") + std::strerror(errno));
  if (fits_into_file(offset_, size_, static_cast<uint64_t>(facts.st_size))) return {};
  return unmappable("the file has " + std::to_string(facts.st_size) + " bytes, the memory needs " + std::to_string(size_) +
                    " at offset " + std::to_string(offset_) + "; somebody made it shorter, or it was never as long");
}

Result<Fence> ShrinkableFile::read_from(uint64_t offset, std::span<std::byte> host) const {
  NNVK_TRY(check_protection(protection_, false));
  NNVK_TRY(check());
  if (offset > size_ || host.size() > size_ - offset) return fail(Code::kBadData, "more is read than the memory has");
  const ssize_t count = read_up_to(fd_->get(), host, static_cast<off_t>(offset_ + offset));
  if (count < 0) return unmappable(std::string("the file behind the memory cannot be read: ") + std::strerror(errno));
  if (static_cast<size_t>(count) < host.size()) {  // in the last page, a mapping has zeros behind the end
    NNVK_TRY(check());
    std::ranges::fill(host.subspan(static_cast<size_t>(count)), std::byte{});
  }
  return Fence::already_signalled();
}

Result<Fence> ShrinkableFile::write_to(uint64_t offset, std::span<const std::byte> host) {
  NNVK_TRY(check_protection(protection_, true));
  NNVK_TRY(check());
  if (offset > size_ || host.size() > size_ - offset) return fail(Code::kBadData, "more is written than the memory has");
  const int flags = ::fcntl(fd_->get(), F_GETFL);
  if (flags < 0 || (flags & O_APPEND) != 0) {
    return unmappable("the file behind the memory is open for appending (O_APPEND), so it cannot be written in place");
  }
  if (!write_all(fd_->get(), host, static_cast<off_t>(offset_ + offset))) {
    return unmappable(std::string("the file behind the memory cannot be written: ") + std::strerror(errno));
  }
  return Fence::already_signalled();
}

}  // namespace nnvk
