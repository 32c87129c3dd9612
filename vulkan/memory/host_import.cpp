#include "vulkan/memory/host_import.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <string>
#include <utility>

#include "core/base/log.h"
#include "vulkan/context/vulkan_forms.h"

namespace nnvk::vulkan {
namespace {

constexpr auto kHandleType = VK_EXTERNAL_MEMORY_HANDLE_TYPE_DMA_BUF_BIT_EXT;

// Owns a duplicate descriptor until an import takes it over. After a failed import Vulkan leaves it with the caller, but Mesa's
// lavapipe closes it anyway. So the destructor closes it only if it still refers to the same file.
class HandedOver {
 public:
  explicit HandedOver(int fd) : fd_(::fcntl(fd, F_DUPFD_CLOEXEC, 3)) {
    if (fd_ >= 0) (void)::fstat(fd_, &file_);
  }
  ~HandedOver() {
    struct stat now {};
    if (fd_ >= 0 && ::fstat(fd_, &now) == 0 && now.st_dev == file_.st_dev && now.st_ino == file_.st_ino) ::close(fd_);
  }
  HandedOver(const HandedOver&) = delete;
  HandedOver& operator=(const HandedOver&) = delete;
  int fd() const { return fd_; }
  void taken() { fd_ = -1; }

 private:
  int fd_;
  struct stat file_ {};
};

}  // namespace

Result<ImportRange> import_range(uintptr_t address, uint64_t size, uint64_t page, uint64_t alignment, uint64_t largest) {
  if (alignment == 0) return fail(Code::kOpFailed, "the driver imports no host memory");
  const uint64_t end = address + size;
  const uintptr_t begin = address / alignment * alignment;
  const uint64_t rounded_end = (end + alignment - 1) / alignment * alignment;
  // The range must not reach into other pages: only those that contain some of the bytes are known to be mapped.
  if (begin < address / page * page || rounded_end > (end + page - 1) / page * page) {
    return fail(Code::kOpFailed,
                "the driver imports units of " + std::to_string(alignment) + " bytes, the memory does not fill them");
  }
  if (rounded_end - begin > largest) {
    return fail(Code::kOpFailed, std::to_string(rounded_end - begin) + " bytes are more than the driver takes at once");
  }
  return ImportRange{begin, rounded_end - begin};
}

Result<Buffer> import_dma_buf(std::shared_ptr<Context> context, const MappedMemory::DmaBuf& dma_buf, uint64_t bytes,
                              Activity& activity) {
  const VolkDeviceTable& vk = context->vk();
  if (!context->plan().imports_dma_bufs || vk.vkGetMemoryFdPropertiesKHR == nullptr) {
    return fail(Code::kOpFailed, "the driver imports no dma-bufs");
  }
  const off_t end = ::lseek(dma_buf.fd, 0, SEEK_END);
  if (end < 0 || static_cast<uint64_t>(end) < dma_buf.offset || static_cast<uint64_t>(end) - dma_buf.offset < bytes) {
    return fail(Code::kBadData, "the dma-buf ends before its frame");
  }
  HandedOver handed_over(dma_buf.fd);
  if (handed_over.fd() < 0) return fail(Code::kOpFailed, std::string("no descriptor for the driver: ") + std::strerror(errno));
  auto properties = vulkan_struct<VkMemoryFdPropertiesKHR>(VK_STRUCTURE_TYPE_MEMORY_FD_PROPERTIES_KHR);
  NNVK_TRY(context->status(vk.vkGetMemoryFdPropertiesKHR(context->device(), kHandleType, dma_buf.fd, &properties),
                           "vkGetMemoryFdPropertiesKHR"));
  auto import = vulkan_struct<VkImportMemoryFdInfoKHR>(VK_STRUCTURE_TYPE_IMPORT_MEMORY_FD_INFO_KHR);
  import.handleType = kHandleType;
  import.fd = handed_over.fd();
  auto buffer = Buffer::import_memory(std::move(context),
                                      {.import = &import,
                                       .handle_type = kHandleType,
                                       .memory_types = properties.memoryTypeBits,
                                       .memory_size = static_cast<uint64_t>(end),
                                       .offset = dma_buf.offset},
                                      activity);
  if (buffer) handed_over.taken();
  return buffer;
}

HostImport::HostImport(std::shared_ptr<Context> context) : context_(std::move(context)) { context_->add(*this); }

HostImport::~HostImport() { context_->remove(*this); }

std::shared_ptr<const IoBuffer> HostImport::of(const std::shared_ptr<MappedMemory>& mapping,
                                               const std::shared_ptr<Context>& context, Activity& activity) {
  const auto make = [&]() -> std::unique_ptr<Attachment> {
    std::unique_ptr<HostImport> made(new HostImport(context));
    if (mapping->dma_buf()) {
      auto imported = import_dma_buf(context, *mapping->dma_buf(), mapping->bytes().size(), activity);
      if (imported) {
        activity.dma_bufs_imported.fetch_add(1, std::memory_order_relaxed);
        made->buffer_.emplace(std::move(*imported), mapping->bytes().data());
        return made;
      }
      log_line(LogLevel::kInfo, "Memory", "a dma-buf goes through the host: " + imported.error().text());
    }
    const DevicePlan& plan = context->plan();
    const auto range =
        import_range(reinterpret_cast<uintptr_t>(mapping->bytes().data()), mapping->bytes().size(),
                     static_cast<uint64_t>(::sysconf(_SC_PAGESIZE)), plan.host_import_alignment, plan.max_allocation_bytes);
    auto* const begin = range ? reinterpret_cast<std::byte*>(range->begin) : nullptr;
    Result<Buffer> buffer = fail(range ? Error{} : range.error());
    if (range) buffer = Buffer::import_host(context, begin, range->size, activity);
    if (buffer) {
      made->buffer_.emplace(std::move(*buffer), begin);
    } else {
      log_line(LogLevel::kInfo, "Memory", "client memory is copied, not imported: " + buffer.error().text());
    }
    return made;
  };
  auto& known = static_cast<HostImport&>(mapping->attachment(context.get(), make));
  if (!known.buffer_) return nullptr;
  return {mapping, &*known.buffer_};
}

}  // namespace nnvk::vulkan
