// Loops that only do what limits the fast kernels: multiply-adds in registers, and passes over memory. Their times give the
// processor's peak rates (cpu_fallback/ceilings.h).
#pragma once

#include <cstddef>
#include <cstdint>

namespace nnvk::cpu {

// Computes `rounds` times as many multiply-adds as one of these functions returns for `rounds` = 1, in independent sums, with the
// instructions of the products of floats or bytes. Returns the number of multiply-adds; `keep` receives a number that depends on
// all of them, so that no compiler leaves them out.
uint64_t float_multiply_adds(uint64_t rounds, float* keep);
uint64_t byte_multiply_adds(uint64_t rounds, int32_t* keep);

// Reads `count` floats, a multiple of kPeakRateBlock, from memory that is aligned for vectors. Returns a number that depends on
// all of them.
float read_floats(const float* from, size_t count);
// Computes out[i] = a[i] + b[i] for arrays of the same kind.
void add_floats(const float* a, const float* b, float* out, size_t count);
inline constexpr size_t kPeakRateBlock = 128;  // eight of the longest vectors

}  // namespace nnvk::cpu
