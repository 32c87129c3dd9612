#include "vulkan/memory/dma_buf_import.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <string>
#include <utility>

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

}  // namespace nnvk::vulkan
