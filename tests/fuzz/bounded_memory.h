// A memory budget for the code that a target runs. Allocations beyond it fail as on a machine without more memory, so a finding
// never depends on the machine's memory.
#pragma once

#include <cstddef>

namespace nnvk::fuzz {

// While one lives, operator new throws std::bad_alloc instead of taking more than kMost bytes together with what was taken since.
class BoundedMemory {
 public:
  static constexpr size_t kMost = size_t{256} << 20;

  BoundedMemory();
  ~BoundedMemory();
  BoundedMemory(const BoundedMemory&) = delete;
  BoundedMemory& operator=(const BoundedMemory&) = delete;
};

}  // namespace nnvk::fuzz
