#include "nativewindow/shared_memory.h"

#include <fcntl.h>
#include <linux/dma-buf.h>
#include <linux/magic.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/vfs.h>

#include <cerrno>
#include <cstring>

namespace nnvk::nativewindow {
namespace {

constexpr int kWriteSeals = F_SEAL_WRITE | 0x10;      // F_SEAL_FUTURE_WRITE, missing in older headers
constexpr unsigned long kDmaBufMagic = 0x444d4142UL;  // DMA_BUF_MAGIC, likewise

Problem refuse(int code, std::string text) { return {code, std::move(text)}; }

}  // namespace

Problem examine(int fd, const std::string& name, MemoryFacts& facts) {
  struct stat file {};
  struct statfs filesystem {};
  const int flags = ::fcntl(fd, F_GETFL);
  if (flags < 0 || (flags & O_PATH) != 0 || ::fstat(fd, &file) != 0 || ::fstatfs(fd, &filesystem) != 0) {
    return refuse(-EBADF, name + " (" + std::to_string(fd) + ") is not an open descriptor of memory");
  }
  facts = {};
  facts.device = file.st_dev;
  facts.inode = file.st_ino;
  facts.readable = (flags & O_ACCMODE) != O_WRONLY;
  facts.writable = (flags & O_ACCMODE) == O_RDWR;
  facts.is_dma_buf = static_cast<unsigned long>(filesystem.f_type) == kDmaBufMagic;
  if (facts.is_dma_buf) {
    const off_t size = ::lseek(fd, 0, SEEK_END);
    if (size < 0) return refuse(-errno, name + " is a dma-buf that does not tell its size: " + std::strerror(errno));
    facts.size = static_cast<uint64_t>(size);
    return {};
  }
  if (!S_ISREG(file.st_mode)) {
    return refuse(-EINVAL, name + " (" + std::to_string(fd) + ") is neither a dma-buf nor shared memory nor a file");
  }
  facts.size = static_cast<uint64_t>(file.st_size);
  const int seals = ::fcntl(fd, F_GET_SEALS);
  // A file of huge pages may lack pages when it is accessed, whatever its size, so it counts as memory that may shrink.
  const bool is_plain = filesystem.f_type == TMPFS_MAGIC;
  facts.may_shrink = seals < 0 || (seals & F_SEAL_SHRINK) == 0 || !is_plain;
  facts.can_be_sealed = seals >= 0 && (seals & F_SEAL_SEAL) == 0 && is_plain && facts.writable;
  facts.writable = facts.writable && (seals < 0 || (seals & kWriteSeals) == 0);
  return {};
}

Problem check_access(int fd, const std::string& name, const MemoryFacts& facts, uint64_t usage, uint32_t flags) {
  if (!facts.readable) return refuse(-EACCES, name + " is open for writing alone; open it for reading as well");
  if ((usage & AHARDWAREBUFFER_USAGE_CPU_WRITE_MASK) != 0 && !facts.writable) {
    return refuse(-EACCES, name +
                               " cannot be written (it is open for reading alone, or sealed against writing); leave "
                               "AHARDWAREBUFFER_USAGE_CPU_WRITE_* out of the usage");
  }
  if (!facts.may_shrink || (flags & NNVK_FRAME_TRUST_SIZE) != 0) return {};
  const std::string hazard = name + " could shrink while it is in use, which would kill this process; ";
  if (!facts.can_be_sealed) {
    return refuse(-EPERM, hazard +
                              "it cannot be sealed here (make it by memfd_create with MFD_ALLOW_SEALING): if nobody ever "
                              "truncates it, say so by NNVK_FRAME_TRUST_SIZE");
  }
  if ((flags & NNVK_FRAME_SEAL) == 0) {
    return refuse(-EPERM, hazard + "seal it with fcntl(fd, F_ADD_SEALS, F_SEAL_SHRINK), or have it sealed by NNVK_FRAME_SEAL");
  }
  struct stat now {};
  if (::fcntl(fd, F_ADD_SEALS, F_SEAL_SHRINK) != 0 || ::fstat(fd, &now) != 0) {
    return refuse(-EPERM, hazard + "sealing it failed: " + std::strerror(errno));
  }
  if (static_cast<uint64_t>(now.st_size) < facts.size) return refuse(-EPERM, name + " has shrunk before it was sealed");
  return {};
}

PartsMapping::~PartsMapping() {
  if (address_ != nullptr) ::munmap(address_, size_);
}

int PartsMapping::map(std::span<const FramePart> parts, std::span<const FileDescriptor> memories, uint64_t size, bool writable) {
  const int protection = writable ? PROT_READ | PROT_WRITE : PROT_READ;
  const auto map_part = [&](const FramePart& part, std::byte* at) {
    return ::mmap(at, part.size, protection, at == nullptr ? MAP_SHARED : MAP_SHARED | MAP_FIXED, memories[part.memory].get(),
                  static_cast<off_t>(part.offset));
  };
  void* reserved = parts.size() == 1 ? map_part(parts[0], nullptr)
                                     : ::mmap(nullptr, size, PROT_READ, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  if (reserved == MAP_FAILED) return -errno;
  auto* const address = static_cast<std::byte*>(reserved);
  for (size_t i = 0; parts.size() > 1 && i < parts.size(); ++i) {
    if (map_part(parts[i], address + parts[i].address) != MAP_FAILED) continue;
    const int error = -errno;
    ::munmap(address, size);
    return error;
  }
  address_ = address;
  size_ = size;
  return 0;
}

int synchronise_dma_buf(int fd, uint64_t usage, bool end) {
  dma_buf_sync sync{};
  if ((usage & AHARDWAREBUFFER_USAGE_CPU_READ_MASK) != 0) sync.flags |= DMA_BUF_SYNC_READ;
  if ((usage & AHARDWAREBUFFER_USAGE_CPU_WRITE_MASK) != 0) sync.flags |= DMA_BUF_SYNC_WRITE;
  sync.flags |= end ? DMA_BUF_SYNC_END : DMA_BUF_SYNC_START;
  while (::ioctl(fd, DMA_BUF_IOCTL_SYNC, &sync) != 0) {
    if (errno != EINTR && errno != EAGAIN) return -errno;
  }
  return 0;
}

}  // namespace nnvk::nativewindow
