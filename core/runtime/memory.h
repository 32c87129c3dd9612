// Memory objects that clients share with models and executions: a mapped file descriptor, or memory made for roles of
// compilations. One interface; who uses a memory does not ask what kind it is.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <mutex>
#include <span>

#include "core/base/result.h"
#include "core/model/operand.h"

namespace nnvk {

class Compilation;

// Which operand of which compilation a memory is used for. `compilation` is compared, never dereferenced.
struct MemoryUse {
  const Compilation* compilation = nullptr;
  bool is_input = true;
  uint32_t index = 0;
};

class Memory {
 public:
  virtual ~Memory() = default;

  // The bytes, mapped on first use and for the life of the object. UNMAPPABLE when that fails. Thread-safe.
  virtual Result<std::span<std::byte>> map() const = 0;

  // Range rules for a constant of a model: BAD_DATA when [offset, offset + length) is not inside.
  virtual Status check_constant_range(size_t offset, size_t length) const = 0;
  // What Model_finish checks of memory behind constants: BAD_DATA for sizes or protections that cannot work.
  virtual Status check_usable_for_constants() const = 0;
  // Range and role rules for an input or output of an execution. `type_dimensions`: the override given by the client, or null;
  // `info`: the operand with the override applied.
  virtual Status check_binding(const MemoryUse& use, size_t offset, size_t length, const OperandInfo& info,
                               bool has_type_override) const = 0;
  // The region is the whole memory: offset and length are both 0 and mean "all of it".
  virtual bool size_is_implied() const { return false; }

  // Contents' state, for memory made from a descriptor. Others are always initialised.
  virtual Status check_readable_as(const Shape& shape) const;
  virtual void mark_written(const Shape& shape);
  virtual void mark_undefined();

  // Logical size in bytes for copies; BAD_DATA when it is not known.
  virtual Result<uint64_t> logical_size() const = 0;
};

// Copies the whole content (api.md, Memory_copy). Both may be the same object.
Status copy_memory(Memory& source, Memory& destination);

// `size` bytes at `offset` of a file descriptor, mapped with `protection`. The descriptor is duplicated.
// OP_FAILED when it is negative or cannot be duplicated.
Result<std::unique_ptr<Memory>> make_fd_memory(size_t size, int protection, int fd, size_t offset);

}  // namespace nnvk
