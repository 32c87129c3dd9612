#include "tools/video/memfd.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/mman.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <utility>

namespace nnvk::tools::video {

Result<Memfd> Memfd::make(const char* name, size_t size, const char* purpose) {
  const auto cannot = [&] { return fail(fmt::format("there are no {} bytes for {}: {}", size, purpose, std::strerror(errno))); };
  Memfd memory;
  memory.descriptor_ = memfd_create(name, MFD_CLOEXEC | MFD_ALLOW_SEALING);
  if (memory.descriptor_ < 0 || ftruncate(memory.descriptor_, static_cast<off_t>(size)) != 0 ||
      fcntl(memory.descriptor_, F_ADD_SEALS, F_SEAL_SHRINK | F_SEAL_GROW) != 0) {
    return cannot();
  }
  void* mapped = mmap(nullptr, size, PROT_READ | PROT_WRITE, MAP_SHARED, memory.descriptor_, 0);
  if (mapped == MAP_FAILED) return cannot();
  memory.bytes_ = {static_cast<uint8_t*>(mapped), size};
  return memory;
}

Memfd::Memfd(Memfd&& other) noexcept
    : descriptor_(std::exchange(other.descriptor_, -1)), bytes_(std::exchange(other.bytes_, {})) {}

Memfd& Memfd::operator=(Memfd&& other) noexcept {
  std::swap(descriptor_, other.descriptor_);
  std::swap(bytes_, other.bytes_);
  return *this;
}

Memfd::~Memfd() {
  if (!bytes_.empty()) munmap(bytes_.data(), bytes_.size());
  if (descriptor_ >= 0) close(descriptor_);
}

Result<SharedMemory> Memfd::import() const {
  ANeuralNetworksMemory* memory = nullptr;
  TOOLS_TRY(check(ANeuralNetworksMemory_createFromFd(bytes_.size(), PROT_READ | PROT_WRITE, descriptor_, 0, &memory),
                  "importing a memfd"));
  return SharedMemory(memory, ANeuralNetworksMemory_free);
}

}  // namespace nnvk::tools::video
