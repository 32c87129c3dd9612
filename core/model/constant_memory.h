// The client's memory behind constants of models. Memory objects (core/runtime/memory.h) implement it.
#pragma once

#include <cstddef>
#include <memory>
#include <span>

#include "core/base/result.h"

namespace nnvk {

class ShrinkableFile;

// Bytes of a memory that hold a constant. `owner` keeps them alive if they are a copy; null: they lie in the memory itself.
struct ConstantBytes {
  std::span<const std::byte> bytes;
  std::shared_ptr<const void> owner;
};

class ConstantMemory {
 public:
  virtual ~ConstantMemory() = default;
  // A constant of a model. UNMAPPABLE when nnvk cannot read it. Thread-safe.
  virtual Result<ConstantBytes> constant(size_t offset, size_t length) const = 0;
  // Range rules for a constant of a model: BAD_DATA when [offset, offset + length) cannot be one.
  virtual Status check_constant_range(size_t offset, size_t length) const = 0;
  // The check of Model_finish for memory behind constants: BAD_DATA for sizes or protections that cannot work.
  virtual Status check_usable_for_constants() const = 0;
  // The file behind constants, if nnvk reads them in place and another process may shorten it; else null. Check it before every
  // use.
  virtual std::shared_ptr<const ShrinkableFile> file_of_constants() const = 0;
};

}  // namespace nnvk
