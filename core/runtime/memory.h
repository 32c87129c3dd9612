// Memory objects that clients share with models and executions: a mapped file descriptor, or memory made for roles of
// compilations (memory_descriptor.h), on the host or on a device. Users of a memory need not know its kind.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>

#include "core/base/result.h"
#include "core/model/constant_memory.h"
#include "core/model/operand.h"
#include "core/runtime/mapped_memory.h"

namespace nnvk {

class Compilation;
class DeviceMemory;
class PicturePixels;
class ShrinkableFile;
struct PictureDescription;
struct PictureExtent;

// The operand of a compilation for which a memory is used. `compilation` is compared, never dereferenced.
struct MemoryUse {
  const Compilation* compilation = nullptr;
  bool is_input = true;
  uint32_t index = 0;
  bool operator==(const MemoryUse&) const = default;
};

// Checks the range rule of memories that have a size (docs/nnapi/memory.md#ranges): BAD_DATA unless [offset, offset + length) is
// inside a memory of `size` bytes. BAD_DATA also if offset and length are 0: clients must give the length.
Status check_memory_range(size_t size, size_t offset, size_t length);

// The region of a memory that a client wants to use for one operand of an execution.
struct MemoryRegion {
  size_t offset = 0;
  size_t length = 0;
  const Shape* shape_override = nullptr;  // the shape of the type given with the region; null when none was given
};

enum class MapAccess : uint8_t { kRead, kWrite };

class Memory : public ConstantMemory {
 public:
  // Returns all bytes, mapped for the life of the object. UNMAPPABLE if that fails or the protection forbids it. Thread-safe.
  virtual Result<std::span<std::byte>> map(MapAccess access = MapAccess::kRead) const = 0;
  // Returns UNMAPPABLE if CPU devices must not access the bytes in this way, because they were made for other processors alone.
  virtual Status check_usable_by_cpu(MapAccess) const { return {}; }
  // Returns the lasting mapping behind the bytes of map(access), which devices may import; null before that call or when devices
  // may not import it.
  virtual std::shared_ptr<MappedMemory> mapping(MapAccess) const { return nullptr; }
  // Returns the device's memory if only a device can access this memory, so that map() fails; else null.
  virtual DeviceMemory* device_memory() const { return nullptr; }
  // Returns the file behind the memory, if another process may shorten it, else null. Callers check the file before every use.
  virtual std::shared_ptr<const ShrinkableFile> shrinkable_file() const { return nullptr; }

  Result<ConstantBytes> constant(size_t offset, size_t length) const override;
  std::shared_ptr<const ShrinkableFile> file_of_constants() const override {
    return device_memory() == nullptr ? shrinkable_file() : nullptr;  // constants on a device are copied
  }
  // Returns BAD_DATA if an input or output of an execution breaks a rule about ranges or roles.
  virtual Status check_region(const MemoryUse& use, const MemoryRegion& region) const = 0;

  // Prepares the memory when a client binds it to an input or output of known shape. BAD_DATA if it cannot be one. Thread-safe.
  virtual Status prepare_for(const OperandInfo& /*tensor*/, bool /*is_input*/) { return {}; }

  // Returns OP_FAILED if an input of this shape cannot be read now, because memory made from a descriptor was never written.
  virtual Status check_readable_as(const Shape&) const { return {}; }
  // Notes that an execution or copy wrote the memory (shape as computed), or failed to.
  virtual void mark_written(const Shape&) {}
  virtual void mark_undefined() {}

  // Returns the description of the picture that the memory holds, if it can become a tensor (picture_input.h), else null. Such
  // memory is an input of executions as a whole and cannot be mapped.
  virtual const PictureDescription* picture() const { return nullptr; }
  // Returns the picture's pixels as they are now; UNMAPPABLE if they cannot be read.
  virtual Result<std::shared_ptr<const PicturePixels>> lock_picture() const {
    return fail(Code::kUnmappable, "the memory holds no picture");
  }

  // Returns layout and size of the picture, which never change; UNMAPPABLE if they are not available now.
  virtual Result<PictureExtent> picture_extent() const;

  // Returns how many bytes can be copied into the memory; BAD_DATA if that is not known.
  virtual Result<uint64_t> logical_size() const = 0;
  // Returns the operand of a memory from a descriptor, with the last written shape. Returns nothing for other memory.
  virtual std::optional<OperandInfo> declared_info() const { return std::nullopt; }
  virtual std::optional<OperandInfo> content_info() const { return std::nullopt; }
};

// Copies the whole content of `source` (docs/nnapi/memory.md#copies), which may also be `destination`. Waits for the device if
// one is involved.
Status copy_memory(Memory& source, Memory& destination);

// How nnvk accesses files that other processes may shorten.
enum class ShrinkableUse : uint8_t {
  kInPlace,  // mapped; their size is checked before every use
  kCopied,   // never mapped: read before, written after
};

// Returns memory of `size` bytes at `offset` of a file descriptor, mapped MAP_SHARED with `protection` (PROT_*). Duplicates the
// descriptor; OP_FAILED if it is negative or that fails.
Result<std::unique_ptr<Memory>> make_fd_memory(size_t size, int protection, int fd, size_t offset,
                                               ShrinkableUse use = ShrinkableUse::kInPlace);

}  // namespace nnvk
