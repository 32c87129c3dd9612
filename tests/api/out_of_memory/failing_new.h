// The program's operator new, which fails when a test wants it to. Drivers have their own: the program has its own C++ library
// (-static-libstdc++). It serves nnvk's code, which is linked into it, and plugins of nnvk's own.
#pragma once

#include <cstddef>
#include <cstdint>

namespace nnvk::test {

enum class Failing : uint8_t {
  kOne,          // one allocation
  kFromThereOn,  // it and all that follow
};

// From now on counts allocations of all threads; the `number`-th (from 1; 0: none) fails. Returns to normal with stop_failing().
void start_failing(uint64_t number, Failing how);
// How many allocations were asked for since start_failing().
uint64_t stop_failing();

// Blocks that are allocated and not freed.
int64_t live_allocations();

}  // namespace nnvk::test
