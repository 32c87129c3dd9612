// Memory that this process shares with a plugin's driver: memfds of our own, sealed so that nobody can make them shorter, and
// what clients have mapped. A region tells the driver of its memory when it is first needed, and again after the driver has lost
// it.
#pragma once

#include <cstddef>
#include <memory>
#include <mutex>
#include <span>

#include "accelerators/driver.h"
#include "core/base/file_descriptor.h"
#include "core/base/result.h"
#include "core/runtime/mapped_memory.h"

namespace nnvk::accelerators {

// Thread-safe.
class Region {
 public:
  // `memory.fd` stays open as long as the region lives.
  Region(std::shared_ptr<Driver> driver, const SharedMemory& memory) : driver_(std::move(driver)), memory_(memory) {}
  ~Region();
  Region(const Region&) = delete;
  Region& operator=(const Region&) = delete;

  // Its name in the driver's present generation. The driver's error where it cannot be shared.
  Result<RegionId> id();
  uint64_t size() const { return memory_.size; }

 private:
  const std::shared_ptr<Driver> driver_;
  const SharedMemory memory_;
  std::mutex mutex_;
  RegionId id_ = RegionId::kNone;
  uint64_t generation_ = 0;
};

// A sealed memfd, mapped here.
class SharedBuffer {
 public:
  // At least one byte. RESOURCE_EXHAUSTED_TRANSIENT without descriptors, OUT_OF_MEMORY without memory.
  static Result<std::shared_ptr<SharedBuffer>> create(const std::shared_ptr<Driver>& driver, uint64_t size);
  ~SharedBuffer();
  SharedBuffer(const SharedBuffer&) = delete;
  SharedBuffer& operator=(const SharedBuffer&) = delete;

  std::span<std::byte> bytes() const { return bytes_; }
  Result<SharedRange> range(uint64_t offset, uint64_t length) const;
  int fd() const { return fd_.get(); }

 private:
  SharedBuffer(const std::shared_ptr<Driver>& driver, FileDescriptor fd, std::span<std::byte> bytes);

  const FileDescriptor fd_;
  const std::span<std::byte> bytes_;
  const std::unique_ptr<Region> region_;
};

// The region of memory that a client has mapped, kept with the mapping; null when it cannot be shared as it is (ordinary memory,
// or a file that could become shorter under the plugin).
std::shared_ptr<Region> region_of(MappedMemory& mapping, const std::shared_ptr<Driver>& driver);

}  // namespace nnvk::accelerators
