// The client's memory behind constants of models. Memory objects (core/runtime/memory.h) implement it.
#pragma once

#include <cstddef>
#include <memory>
#include <span>

#include "core/base/result.h"

namespace nnvk {

class ShrinkableFile;

// The bytes of a constant. `owner` keeps them alive if they are a copy; null: they are bytes of the client's memory itself.
struct ConstantBytes {
  std::span<const std::byte> bytes;
  std::shared_ptr<const void> owner;
};

class ConstantMemory {
 public:
  virtual ~ConstantMemory() = default;
  // Returns the bytes of a constant of a model, or UNMAPPABLE if nnvk cannot read them. Thread-safe.
  virtual Result<ConstantBytes> constant(size_t offset, size_t length) const = 0;
  // Returns BAD_DATA if [offset, offset + length) cannot be a constant of a model.
  virtual Status check_constant_range(size_t offset, size_t length) const = 0;
  // Returns BAD_DATA for sizes or protections that cannot work. ANeuralNetworksModel_finish calls it for memory behind constants.
  virtual Status check_usable_for_constants() const = 0;
  // Returns the file of constants that nnvk reads in place and another process may shorten, else null. Callers check the file
  // before every use.
  virtual std::shared_ptr<const ShrinkableFile> file_of_constants() const = 0;
};

}  // namespace nnvk
