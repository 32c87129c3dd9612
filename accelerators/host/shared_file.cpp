#include "accelerators/host/shared_file.h"

#include <fcntl.h>
#include <linux/magic.h>
#include <sys/vfs.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <cstdio>
#include <cstring>
#include <string>

namespace nnvk::accelerators {
namespace {

constexpr unsigned long kDmaBufMagic = 0x444d4142UL;  // DMA_BUF_MAGIC, missing in older headers

}  // namespace

Status check_shared_file(const SharedMemory& memory) {
  struct statfs filesystem {};
  if (::fstatfs(memory.fd, &filesystem) != 0) {
    return fail(Code::kBadData, std::string("memory to share cannot be looked at: ") + std::strerror(errno));
  }
  const bool is_dma_buf = static_cast<unsigned long>(filesystem.f_type) == kDmaBufMagic;
  const int seals = is_dma_buf ? 0 : ::fcntl(memory.fd, F_GET_SEALS);
  if (!is_dma_buf && (seals < 0 || (seals & F_SEAL_SHRINK) == 0 || filesystem.f_type != TMPFS_MAGIC)) {
    return fail(Code::kBadData, "memory to share could shrink: seal it (F_SEAL_SHRINK), or share a dma-buf");
  }
  if (is_dma_buf != memory.is_dma_buf) return fail(Code::kBadData, "the memory to share is not of the declared kind");
  // lseek() instead of fstat(), which returns no size for dma-bufs.
  const off_t end = ::lseek(memory.fd, 0, SEEK_END);
  const auto size = static_cast<uint64_t>(end);
  if (end < 0 || memory.size == 0 || memory.offset > size || memory.size > size - memory.offset) {
    return fail(Code::kBadData, "memory to share is smaller than its region");
  }
  if (memory.offset % static_cast<uint64_t>(::sysconf(_SC_PAGESIZE)) != 0) {
    return fail(Code::kBadData, "a region of memory to share does not start on a page");
  }
  return {};
}

FileDescriptor open_again(const SharedMemory& memory) {
  std::array<char, 40> path{};
  std::snprintf(path.data(), path.size(), "/proc/self/fd/%d", memory.fd);
  return FileDescriptor(::open(path.data(), (memory.writable ? O_RDWR : O_RDONLY) | O_CLOEXEC));
}

}  // namespace nnvk::accelerators
