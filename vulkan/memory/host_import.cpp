#include "vulkan/memory/host_import.h"

#include <unistd.h>

#include <string>

#include "core/base/log.h"
#include "vulkan/memory/dma_buf_import.h"

namespace nnvk::vulkan {

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
