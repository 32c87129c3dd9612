// memfds, seals and mappings.
#include "core/runtime/sealed_memory.h"

#include <fcntl.h>
#include <sys/mman.h>

#include <cerrno>
#include <cstring>
#include <string>
#include <utility>

#include "core/base/file_descriptor.h"
#include "core/runtime/file_mapping.h"

namespace nnvk {

Result<std::unique_ptr<MappedMemory>> make_sealed_memory(uint64_t size) {
  if (size == 0) size = 1;
  const auto failed = [&](const char* what) {
    const bool of_descriptors = errno == EMFILE || errno == ENFILE;
    return fail(of_descriptors ? Code::kResourceExhaustedTransient : Code::kOutOfMemory,
                "no " + std::to_string(size) + " bytes of shared memory: " + what + ": " + std::strerror(errno));
  };
  auto file = std::make_shared<FileDescriptor>();
  auto mapping = std::make_shared<FileMapping>();
  *file = FileDescriptor(::memfd_create("nnvk shared", MFD_CLOEXEC | MFD_ALLOW_SEALING));
  if (!*file) return failed("memfd_create");
  if (size > INT64_MAX) {
    errno = ENOMEM;
    return failed("ftruncate");
  }
  if (!resize_file(file->get(), static_cast<off_t>(size))) return failed("ftruncate");
  if (::fcntl(file->get(), F_ADD_SEALS, F_SEAL_SHRINK | F_SEAL_GROW | F_SEAL_SEAL) != 0) return failed("F_ADD_SEALS");
  if (!mapping->map(file->get(), size, PROT_READ | PROT_WRITE, 0)) return failed("mmap");
  const int fd = file->get();
  const std::span<std::byte> bytes = mapping->bytes();
  return std::make_unique<MappedMemory>(
      bytes, true, [mapping = std::move(mapping), file = std::move(file)]() mutable { mapping = nullptr; }, std::nullopt,
      MappedMemory::SealedFile{fd, 0});
}

}  // namespace nnvk
