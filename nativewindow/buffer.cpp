// Buffers in memory that cannot shrink: access to a mapping beyond the end of its file would kill the process.
#include "nativewindow/buffer.h"

#include <fcntl.h>
#include <linux/magic.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/vfs.h>

#include <algorithm>
#include <atomic>
#include <cerrno>
#include <utility>

#include "core/base/file_descriptor.h"
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

// Returns whether the descriptor is memory like that of allocate(): a writable file in shared memory, of exactly this size for
// ever. (A file of huge pages may lack pages when it is accessed.)
bool is_of_allocate(int fd, uint64_t size) {
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
  FileDescriptor memory(::memfd_create("AHardwareBuffer", MFD_CLOEXEC | MFD_ALLOW_SEALING));
  if (!memory) return -errno;
  if (!resize_file(memory.get(), static_cast<off_t>(layout.size))) return -errno;
  // Seals the set of seals, too, so that no process with the buffer can forbid others to write.
  if (::fcntl(memory.get(), F_ADD_SEALS, kSizeSeals | F_SEAL_SEAL) != 0) return -errno;
  buffer.reset(new Buffer(description, layout, next_id()));
  buffer->memories_.push_back(std::move(memory));
  return 0;
}

int Buffer::adopt(const AHardwareBuffer_Desc& description, uint64_t id, FileDescriptor memory, std::shared_ptr<Buffer>& buffer) {
  Layout layout;
  if (layout_of(description, layout) != 0 || !is_of_allocate(memory.get(), layout.size)) return -EINVAL;
  buffer.reset(new Buffer(description, layout, id));
  buffer->memories_.push_back(std::move(memory));
  return 0;
}

Problem Buffer::wrap(const nnvk_FrameLayout& given, std::vector<FileDescriptor> memories, std::optional<uint64_t> id,
                     std::shared_ptr<Buffer>& buffer) {
  constexpr uint64_t kUnavailable = AHARDWAREBUFFER_USAGE_PROTECTED_CONTENT | AHARDWAREBUFFER_USAGE_GPU_MIPMAP_COMPLETE |
                                    AHARDWAREBUFFER_USAGE_GPU_CUBE_MAP | AHARDWAREBUFFER_USAGE_SENSOR_DIRECT_DATA;
  if ((given.usage & kUnavailable) != 0) {
    return {-EINVAL,
            "the usage is not for frames: a frame is neither protected content nor a mip chain, a cube map or sensor data"};
  }
  if ((given.flags & ~uint32_t{NNVK_FRAME_SEAL | NNVK_FRAME_TRUST_SIZE}) != 0) {
    return {-EINVAL, "the flags are " + std::to_string(given.flags) + "; there are NNVK_FRAME_SEAL and NNVK_FRAME_TRUST_SIZE"};
  }
  if (Problem problem = check_frame(given, memories.size()); problem.code != 0) return problem;
  nnvk_FrameLayout frame = given;
  // Counts several descriptors of one memory as one, and drops those that hold no plane.
  std::vector<FileDescriptor> used;
  std::vector<MemoryFacts> facts;
  std::vector<uint64_t> sizes;
  std::vector<std::optional<uint32_t>> places(memories.size());
  for (uint32_t p = 0; p < frame.planeCount; ++p) {
    std::optional<uint32_t>& place = places[frame.planes[p].fdIndex];
    if (!place) {
      FileDescriptor& memory = memories[frame.planes[p].fdIndex];
      const std::string name = "descriptor " + std::to_string(frame.planes[p].fdIndex);
      MemoryFacts fact;
      if (Problem problem = examine(memory.get(), name, fact); problem.code != 0) return problem;
      if (Problem problem = check_access(memory.get(), name, fact, frame.usage, frame.flags); problem.code != 0) return problem;
      const auto same = std::find_if(facts.begin(), facts.end(), [&fact](const MemoryFacts& other) {
        return other.device == fact.device && other.inode == fact.inode;
      });
      place = static_cast<uint32_t>(same - facts.begin());
      if (same == facts.end()) {
        used.push_back(std::move(memory));
        facts.push_back(fact);
        sizes.push_back(fact.size);
      }
    }
    frame.planes[p].fdIndex = *place;
  }
  FramePlan plan;
  if (Problem problem = plan_frame(frame, sizes, plan); problem.code != 0) return problem;
  buffer.reset(new Buffer(plan.description, plan.layout, id ? *id : next_id()));
  buffer->trusts_size_ = std::any_of(facts.begin(), facts.end(), [](const MemoryFacts& fact) { return fact.may_shrink; }) &&
                         (frame.flags & NNVK_FRAME_TRUST_SIZE) != 0;
  std::fill(std::begin(frame.planes) + frame.planeCount, std::end(frame.planes), nnvk_FramePlane{});
  frame.flags = 0;
  buffer->frame_ = frame;
  buffer->memories_ = std::move(used);
  buffer->parts_ = std::move(plan.parts);
  buffer->is_dma_buf_.clear();
  for (const MemoryFacts& fact : facts) buffer->is_dma_buf_.push_back(fact.is_dma_buf);
  return {};
}

Buffer::Buffer(const AHardwareBuffer_Desc& description, const Layout& layout, uint64_t id)
    : description_(description), layout_(layout), id_(id), parts_{{0, 0, layout.size, 0}}, is_dma_buf_{false} {
  description_.stride = layout.stride;
}

std::optional<Buffer::DmaBuf> Buffer::dma_buf() const {
  if (parts_.size() != 1 || !is_dma_buf_[0]) return std::nullopt;
  return DmaBuf{memories_[0].get(), parts_[0].offset};
}

// Returns whether the files still hold the whole memory. Only memory whose size nnvk trusts (NNVK_FRAME_TRUST_SIZE) can shrink.
bool Buffer::is_all_there() const {
  return !trusts_size_ || std::ranges::all_of(parts_, [&](const FramePart& part) {
    struct stat facts {};
    if (::fstat(memories_[part.memory].get(), &facts) != 0) return false;
    return is_dma_buf_[part.memory] || fits_into_file(part.offset, part.size, static_cast<uint64_t>(facts.st_size));
  });
}

int Buffer::map(std::byte*& address) {
  if (!is_all_there()) return -EFAULT;
  const std::lock_guard guard(mutex_);
  if (mapping_.address() == nullptr) {
    if (const int error = mapping_.map(parts_, memories_, layout_.size, is_writable()); error != 0) return error;
  }
  address = mapping_.address();
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
  if (const int error = synchronise(usage, false); error != 0) return error;
  const std::lock_guard guard(mutex_);
  locks_.push_back(usage);
  return 0;
}

int Buffer::unlock() {
  uint64_t usage = 0;
  {
    const std::lock_guard guard(mutex_);
    if (locks_.empty()) return -EINVAL;
    usage = locks_.back();
    locks_.pop_back();
  }
  (void)synchronise(usage, true);  // the lock has ended in any case
  return 0;
}

int Buffer::synchronise(uint64_t usage, bool end) const {
  for (size_t m = 0; m < memories_.size(); ++m) {
    if (!is_dma_buf_[m]) continue;
    if (const int error = synchronise_dma_buf(memories_[m].get(), usage, end); error != 0) return error;
  }
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
  std::shared_ptr<Buffer> last;  // unmapped after the lock of the table is released
  const std::lock_guard guard(mutex_);
  const auto found = entries_.find(handle);
  if (found == entries_.end() || --found->second.references != 0) return;
  last = std::move(found->second.buffer);
  entries_.erase(found);
}

}  // namespace nnvk::nativewindow
