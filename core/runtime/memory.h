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

// Which operand of which compilation a memory is used for. `compilation` is compared, never dereferenced.
struct MemoryUse {
  const Compilation* compilation = nullptr;
  bool is_input = true;
  uint32_t index = 0;
  bool operator==(const MemoryUse&) const = default;
};

// The range rule of memories that have a size (docs/nnapi/memory.md#ranges): BAD_DATA unless [offset, offset + length) lies
// inside a memory of `size` bytes. BAD_DATA also if both are 0: clients must give the length.
Status check_memory_range(size_t size, size_t offset, size_t length);

// A region of a memory that a client wants to use for one operand of an execution.
struct MemoryRegion {
  size_t offset = 0;
  size_t length = 0;
  const Shape* shape_override = nullptr;  // the shape of the type given with the region; null when none was given
};

enum class MapAccess : uint8_t { kRead, kWrite };

class Memory : public ConstantMemory {
 public:
  // All bytes, mapped on first use and for the life of the object. UNMAPPABLE when that fails or the protection forbids the
  // access. Thread-safe.
  virtual Result<std::span<std::byte>> map(MapAccess access = MapAccess::kRead) const = 0;
  // Whether CPU devices may access the bytes in this way. UNMAPPABLE when they were made for other processors alone.
  virtual Status check_usable_by_cpu(MapAccess) const { return {}; }
  // The lasting mapping behind the bytes of map(access), which devices may import; null before that call or when they may not.
  virtual std::shared_ptr<MappedMemory> mapping(MapAccess) const { return nullptr; }
  // Memory that only a device can access, so that map() fails; else null.
  virtual DeviceMemory* device_memory() const { return nullptr; }
  // The file behind the memory, if another process may shorten it: check it before every use. Null: no process can.
  virtual std::shared_ptr<const ShrinkableFile> shrinkable_file() const { return nullptr; }

  Result<ConstantBytes> constant(size_t offset, size_t length) const override;
  std::shared_ptr<const ShrinkableFile> file_of_constants() const override {
    return device_memory() == nullptr ? shrinkable_file() : nullptr;  // constants on a device are copied
  }
  // Range and role rules for an input or output of an execution: BAD_DATA when broken.
  virtual Status check_region(const MemoryUse& use, const MemoryRegion& region) const = 0;

  // Called when it is bound to an input or output of this kind, whose shape is known: prepares for that use. BAD_DATA when it is
  // impossible. Thread-safe.
  virtual Status prepare_for(const OperandInfo& /*tensor*/, bool /*is_input*/) { return {}; }

  // Memory made from a descriptor has contents only after a write. OP_FAILED when an input of this shape cannot be read now.
  virtual Status check_readable_as(const Shape&) const { return {}; }
  // An execution or copy wrote the memory (shape as computed), or failed to.
  virtual void mark_written(const Shape&) {}
  virtual void mark_undefined() {}

  // The picture that the memory holds, if it can become a tensor (picture_input.h). Such memory is an input of executions as a
  // whole and cannot be mapped. Else null.
  virtual const PictureDescription* picture() const { return nullptr; }
  // Its pixels as they are now. UNMAPPABLE when they cannot be read.
  virtual Result<std::shared_ptr<const PicturePixels>> lock_picture() const {
    return fail(Code::kUnmappable, "the memory holds no picture");
  }

  // Layout and size of the picture, which never change. UNMAPPABLE when they are not available now.
  virtual Result<PictureExtent> picture_extent() const;

  // How many bytes can be copied into the memory; BAD_DATA when that is not known.
  virtual Result<uint64_t> logical_size() const = 0;
  // The operand that memory from a descriptor was made for, and its present contents (the shape of the last write, if there was
  // one). Empty for other memory.
  virtual std::optional<OperandInfo> declared_info() const { return std::nullopt; }
  virtual std::optional<OperandInfo> content_info() const { return std::nullopt; }
};

// Copies the whole content (docs/nnapi/memory.md#copies). Both may be the same object. Waits for the device if one is involved.
Status copy_memory(Memory& source, Memory& destination);

// How nnvk accesses files that other processes may shorten meanwhile.
enum class ShrinkableUse : uint8_t {
  kInPlace,  // mapped; their size is checked before every use
  kCopied,   // never mapped: read before, written after
};

// `size` bytes at `offset` of a file descriptor, mapped MAP_SHARED with `protection` (PROT_*). The descriptor is duplicated.
// OP_FAILED when it is negative or cannot be duplicated.
Result<std::unique_ptr<Memory>> make_fd_memory(size_t size, int protection, int fd, size_t offset,
                                               ShrinkableUse use = ShrinkableUse::kInPlace);

}  // namespace nnvk
