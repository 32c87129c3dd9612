// What a GPU does in a second, from what its driver tells and, where it tells nothing, from its kind. Pure.
// Good for orders of magnitude: choices of kernels, and times of nodes until a calibration has measured them.
#pragma once

#include <cstdint>

#include "core/operations/cost_model.h"

namespace nnvk::vulkan {

enum class MachineKind : uint8_t {
  kSoftware,    // lavapipe and friends
  kDiscrete,    // memory of its own
  kIntegrated,  // in a processor of a desktop or laptop
  kMobile,      // in a processor of a telephone or board
};

// Zero where the driver does not tell.
struct Machine {
  MachineKind kind = MachineKind::kDiscrete;
  uint32_t compute_units = 0;   // compute units, streaming multiprocessors, shader cores
  uint32_t lanes_per_unit = 0;  // float32 multiply-adds that a unit finishes per clock
  bool operator==(const Machine&) const = default;
};

// Multiply-adds of float32 per second, if all lanes did nothing else.
double peak_multiply_adds(const Machine& machine);
// Of its memory.
double bytes_per_second(const Machine& machine);
// Invocations that fill every lane several times over, so that a dispatch hides the latency of its memory.
uint64_t wanted_invocations(const Machine& machine);
// How many times as many products of halves or bytes as of float32 it finishes with cooperative matrices, if it has them: about,
// the least of its kind.
double matrix_gain(const Machine& machine);
// How many times as many products of bytes as of float32 a device finishes whose dot products are fast: four at once, and some
// work around them.
inline constexpr double kDotProductGain = 2;

// What a dispatch asks of a machine.
struct DispatchWork {
  uint64_t multiply_adds = 0;
  double gain = 1;     // how many times as many of them as of float32 the machine finishes
  uint64_t bytes = 0;  // that it reads and writes
  uint64_t invocations = 1;
  uint32_t subgroups_per_simd = 0;  // that the registers of its pipeline let run at once; 0: nobody told
  bool operator==(const DispatchWork&) const = default;
};
// How long a dispatch takes with what before it has to wait for: as long as its products or its memory, whichever takes longer.
// Few invocations, or few at once, leave lanes idle.
double predicted_seconds(const DispatchWork& work, const Machine& machine);

// What is assumed of its kernels while nobody has measured them.
AssumedCosts assumed_costs(const Machine& machine);

}  // namespace nnvk::vulkan
