// Buffers in memfds sealed against truncation: touching a mapping behind the end of its file would kill the process.
#include "nativewindow/buffer.h"

#include <fcntl.h>
#include <linux/magic.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/vfs.h>

#include <atomic>
#include <cerrno>
#include <utility>

#include "nativewindow/fence_wait.h"

namespace nnvk::nativewindow {
namespace {

constexpr int kSizeSeals = F_SEAL_SHRINK | F_SEAL_GROW;
constexpr int kWriteSeals = F_SEAL_WRITE | 0x10;  // F_SEAL_FUTURE_WRITE, missing in older headers

uint64_t next_id() {
  static std::atomic<uint32_t> counter{0};
  return uint64_t{static_cast<uint32_t>(::getpid())} << 32 | ++counter;
}

bool fits_into_memory(uint64_t size) {
  const long pages = ::sysconf(_SC_PHYS_PAGES);
  const long page = ::sysconf(_SC_PAGESIZE);
  return pages <= 0 || page <= 0 || size / static_cast<uint64_t>(page) <= static_cast<uint64_t>(pages);
}

// A regular file in ordinary shared memory (huge pages may be missing when touched), of this size for ever, writable.
bool can_be_trusted(int fd, uint64_t size) {
  struct stat facts {};
  struct statfs filesystem {};
  if (::fstat(fd, &facts) != 0 || !S_ISREG(facts.st_mode)) return false;
  if (facts.st_size < 0 || static_cast<uint64_t>(facts.st_size) != size) return false;
  if (::fstatfs(fd, &filesystem) != 0 || filesystem.f_type != TMPFS_MAGIC) return false;
  const int flags = ::fcntl(fd, F_GETFL);
  if (flags < 0 || (flags & O_ACCMODE) != O_RDWR || (flags & O_PATH) != 0) return false;
  const int seals = ::fcntl(fd, F_GET_SEALS);
  return seals >= 0 && (seals & kSizeSeals) == kSizeSeals && (seals & kWriteSeals) == 0;
}

}  // namespace

int Buffer::allocate(const AHardwareBuffer_Desc& description, std::shared_ptr<Buffer>& buffer) {
  Layout layout;
  if (const int error = layout_of(description, layout); error != 0) return error;
  if (!fits_into_memory(layout.size)) return -ENOMEM;
  UniqueFd memory(::memfd_create("AHardwareBuffer", MFD_CLOEXEC | MFD_ALLOW_SEALING));
  if (!memory.holds()) return -errno;
  if (::ftruncate(memory.get(), static_cast<off_t>(layout.size)) != 0) return -errno;
  // The set of seals is final too: nobody we share the buffer with can forbid others to write.
  if (::fcntl(memory.get(), F_ADD_SEALS, kSizeSeals | F_SEAL_SEAL) != 0) return -errno;
  buffer = std::make_shared<Buffer>(description, layout, next_id(), std::move(memory));
  return 0;
}

int Buffer::adopt(const AHardwareBuffer_Desc& description, uint64_t id, UniqueFd memory, std::shared_ptr<Buffer>& buffer) {
  Layout layout;
  if (layout_of(description, layout) != 0 || !can_be_trusted(memory.get(), layout.size)) return -EINVAL;
  buffer = std::make_shared<Buffer>(description, layout, id, std::move(memory));
  return 0;
}

Buffer::Buffer(const AHardwareBuffer_Desc& description, const Layout& layout, uint64_t id, UniqueFd memory)
    : description_(description), layout_(layout), id_(id), memory_(std::move(memory)) {
  description_.stride = layout.stride;
}

Buffer::~Buffer() {
  if (address_ != nullptr) ::munmap(address_, layout_.size);
}

int Buffer::map(std::byte*& address) {
  const std::lock_guard guard(mutex_);
  if (address_ == nullptr) {
    void* mapped = ::mmap(nullptr, layout_.size, PROT_READ | PROT_WRITE, MAP_SHARED, memory_.get(), 0);
    if (mapped == MAP_FAILED) return -errno;
    address_ = static_cast<std::byte*>(mapped);
  }
  address = address_;
  return 0;
}

int Buffer::check_lock(uint64_t usage, const ARect* rect) const {
  if (usage == 0 || (usage & ~kCpuUsage) != 0 || description_.layers != 1) return -EINVAL;
  for (const uint64_t kind : {AHARDWAREBUFFER_USAGE_CPU_READ_MASK, AHARDWAREBUFFER_USAGE_CPU_WRITE_MASK}) {
    if ((usage & kind) != 0 && (description_.usage & kind) == 0) return -EINVAL;
  }
  if (rect != nullptr &&
      (rect->left < 0 || rect->top < 0 || rect->right < rect->left || rect->bottom < rect->top ||
       static_cast<uint32_t>(rect->right) > description_.width || static_cast<uint32_t>(rect->bottom) > description_.height)) {
    return -EINVAL;
  }
  return 0;
}

int Buffer::lock(uint64_t usage, int fence, const ARect* rect, std::byte*& address) {
  if (const int error = check_lock(usage, rect); error != 0) return error;
  if (fence >= 0) {
    if (const int error = wait_for_fence(fence); error != 0) return error;
  }
  if (const int error = map(address); error != 0) return error;
  const std::lock_guard guard(mutex_);
  ++locks_;
  return 0;
}

int Buffer::unlock() {
  const std::lock_guard guard(mutex_);
  if (locks_ == 0) return -EINVAL;
  --locks_;
  return 0;
}

LiveBuffers& LiveBuffers::of_process() {
  static auto* const buffers = new LiveBuffers();
  return *buffers;
}

AHardwareBuffer* LiveBuffers::add(std::shared_ptr<Buffer> buffer) {
  void* const handle = buffer.get();
  const std::lock_guard guard(mutex_);
  entries_.emplace(handle, Entry{std::move(buffer)});
  return static_cast<AHardwareBuffer*>(handle);
}

std::shared_ptr<Buffer> LiveBuffers::find(const AHardwareBuffer* handle) {
  const std::lock_guard guard(mutex_);
  const auto found = entries_.find(handle);
  return found == entries_.end() ? nullptr : found->second.buffer;
}

void LiveBuffers::acquire(const AHardwareBuffer* handle) {
  const std::lock_guard guard(mutex_);
  if (const auto found = entries_.find(handle); found != entries_.end()) ++found->second.references;
}

void LiveBuffers::release(const AHardwareBuffer* handle) {
  std::shared_ptr<Buffer> last;  // unmapped after the table is free again
  const std::lock_guard guard(mutex_);
  const auto found = entries_.find(handle);
  if (found == entries_.end() || --found->second.references != 0) return;
  last = std::move(found->second.buffer);
  entries_.erase(found);
}

}  // namespace nnvk::nativewindow
