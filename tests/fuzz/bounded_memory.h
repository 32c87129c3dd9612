// A memory budget for the code that a target runs. Allocations beyond it fail as on a machine without more memory, so a finding
// never depends on the machine's memory.
#pragma once

#include <cstddef>

namespace nnvk::fuzz {

// During its lifetime, operator new throws std::bad_alloc if the memory allocated since its constructor would exceed kMost bytes.
class BoundedMemory {
 public:
  static constexpr size_t kMost = size_t{256} << 20;

  BoundedMemory();
  ~BoundedMemory();
  BoundedMemory(const BoundedMemory&) = delete;
  BoundedMemory& operator=(const BoundedMemory&) = delete;
};

}  // namespace nnvk::fuzz
