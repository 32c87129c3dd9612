// The program's operator new, which fails when a test wants it to. It serves nnvk's code, which is linked into the program, and
// nnvk's own plugins. Drivers use another one, since the program links its own C++ library (-static-libstdc++).
#pragma once

#include <cstddef>
#include <cstdint>

namespace nnvk::test {

enum class Failing : uint8_t {
  kOne,          // only the chosen allocation
  kFromThereOn,  // the chosen allocation and all later ones
};

// From now on counts allocations of all threads; the `number`-th (from 1; 0: none) fails. Returns to normal with stop_failing().
void start_failing(uint64_t number, Failing how);
// Number of allocations since start_failing().
uint64_t stop_failing();

// Blocks that are allocated and not freed.
int64_t live_allocations();

}  // namespace nnvk::test
