// Memory that this process shares with a plugin's driver: its own memfds, sealed against shrinking, and mappings of clients. A
// region shares its memory with the driver on first use, and again after the driver has lost it.
#pragma once

#include <cstddef>
#include <memory>
#include <mutex>
#include <span>

#include "accelerators/driver.h"
#include "core/base/result.h"
#include "core/runtime/mapped_memory.h"

namespace nnvk::accelerators {

// Memory that a driver may use: the driver gets it at the first id() of each generation. It is thread-safe.
class Region {
 public:
  // The caller keeps `memory.fd` open as long as the region lives.
  Region(std::shared_ptr<Driver> driver, const SharedMemory& memory) : driver_(std::move(driver)), memory_(memory) {}
  ~Region();
  Region(const Region&) = delete;
  Region& operator=(const Region&) = delete;

  // Returns the region's id in the driver's present generation, or the driver's error if the memory cannot be shared.
  Result<RegionId> id();

 private:
  const std::shared_ptr<Driver> driver_;
  const SharedMemory memory_;
  std::mutex mutex_;
  RegionId id_ = RegionId::kNone;
  uint64_t generation_ = 0;
};

// Sealed memory of this process (core/runtime/sealed_memory.h) and its region.
class SharedBuffer {
 public:
  // Allocates at least one byte. Returns the errors of make_sealed_memory().
  static Result<std::shared_ptr<SharedBuffer>> create(const std::shared_ptr<Driver>& driver, uint64_t size);

  std::span<std::byte> bytes() const { return memory_->bytes(); }
  Result<SharedRange> range(uint64_t offset, uint64_t length) const;

 private:
  SharedBuffer(const std::shared_ptr<Driver>& driver, std::unique_ptr<MappedMemory> memory);

  const std::unique_ptr<MappedMemory> memory_;
  const std::unique_ptr<Region> region_;
};

// Returns the region of memory that a client has mapped; the mapping keeps the region. Returns null if the memory cannot be
// shared in place: ordinary memory, or a file that could become shorter while the plugin uses it.
std::shared_ptr<Region> region_of(MappedMemory& mapping, const std::shared_ptr<Driver>& driver);

}  // namespace nnvk::accelerators
