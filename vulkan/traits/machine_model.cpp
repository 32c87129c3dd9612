#include "vulkan/traits/machine_model.h"

#include <algorithm>

namespace nnvk::vulkan {
namespace {

// A typical machine of a kind, because no extension of Vulkan reports clocks or bandwidths.
struct TypicalMachine {
  uint32_t compute_units;
  uint32_t lanes_per_unit;
  double clock;        // Hz
  double bandwidth;    // bytes per second; GPUs with memory of their own have more of it the more units they have
  double matrix_gain;  // see matrix_gain()
};

constexpr TypicalMachine typical(MachineKind kind) {
  switch (kind) {
    case MachineKind::kSoftware:
      return {2, 8, 3e9, 16e9, 0.1};  // lavapipe moves the elements of matrices between lanes one by one
    case MachineKind::kDiscrete:
      // Matrices: AMD from RDNA3 on: 256 halves per clock and unit against 64 floats; NVIDIA and Intel: 8 and more
      return {36, 64, 1.8e9, 300e9, 4};
    case MachineKind::kIntegrated:
      return {8, 64, 1.2e9, 40e9, 2};
    case MachineKind::kMobile:
      return {8, 32, 0.8e9, 25e9, 2};
  }
  return {1, 1, 1e9, 1e9, 1};
}

// The share of a machine's peaks that general kernels reach on whole networks.
constexpr double kShareOfLanes = 0.25;
constexpr double kShareOfBandwidth = 0.5;
constexpr double kBytesPerElement = 4;

uint64_t lanes(const Machine& machine) {
  const TypicalMachine usual = typical(machine.kind);
  const uint32_t units = machine.compute_units == 0 ? usual.compute_units : machine.compute_units;
  return uint64_t{units} * (machine.lanes_per_unit == 0 ? usual.lanes_per_unit : machine.lanes_per_unit);
}

// Costs measured on lavapipe 22.3.6 with two cores (perf/results). Lavapipe is slower than the processor's own kernels at
// everything.
constexpr AssumedCosts kSoftwareCosts{.seconds_per_node = 40e-6,
                                      .seconds_per_multiply_add = 1.0 / 12e9,
                                      .seconds_per_element = 1e-9,
                                      .seconds_per_function = 2e-9,
                                      .product_factor_8bit = 1.5,
                                      .factor_channels_first = 1.8};

}  // namespace

double peak_multiply_adds(const Machine& machine) { return static_cast<double>(lanes(machine)) * typical(machine.kind).clock; }

double bytes_per_second(const Machine& machine) {
  const TypicalMachine usual = typical(machine.kind);
  if (machine.kind != MachineKind::kDiscrete || machine.compute_units == 0) return usual.bandwidth;
  return usual.bandwidth * machine.compute_units / usual.compute_units;
}

uint64_t wanted_invocations(const Machine& machine) {
  constexpr uint64_t kSoftwareInvocations = 256;  // enough work groups for every core of a large processor
  return machine.kind == MachineKind::kSoftware ? kSoftwareInvocations : kWantedPerLane * lanes(machine);
}

double matrix_gain(const Machine& machine) { return typical(machine.kind).matrix_gain; }

AssumedCosts assumed_costs(const Machine& machine) {
  if (machine.kind == MachineKind::kSoftware) return kSoftwareCosts;
  const double element = kBytesPerElement / (bytes_per_second(machine) * kShareOfBandwidth);
  return {.seconds_per_node = machine.kind == MachineKind::kMobile ? 15e-6 : 6e-6,
          .seconds_per_multiply_add = 1 / (peak_multiply_adds(machine) * kShareOfLanes),
          .seconds_per_element = element,
          .seconds_per_function = element,
          .factor_channels_first = 1.8};
}

double roofline_seconds(const DispatchWork& work, const Machine& machine) {
  const double products = static_cast<double>(work.multiply_adds) / (peak_multiply_adds(machine) * work.gain);
  return std::max(products, static_cast<double>(work.bytes) / bytes_per_second(machine));
}

double predicted_seconds(const DispatchWork& work, const Machine& machine) {
  constexpr double kEnoughSubgroups = 4;  // per SIMD unit, to hide the latency of memory
  const AssumedCosts costs = assumed_costs(machine);
  const auto share = [](double part, double whole) { return std::min(1.0, part / whole); };
  const auto invocations = static_cast<double>(std::max<uint64_t>(work.invocations, 1));
  const double hidden = work.subgroups_per_simd == 0 ? 1.0 : share(work.subgroups_per_simd, kEnoughSubgroups);
  // Two invocations per lane, each with several sums, keep the lane multiplying; one per lane keeps the memory busy.
  const double busy = hidden * share(invocations, 2 * static_cast<double>(lanes(machine)));
  const double products = static_cast<double>(work.multiply_adds) * costs.seconds_per_multiply_add / (work.gain * busy);
  const double moved = static_cast<double>(work.bytes) / (bytes_per_second(machine) * kShareOfBandwidth) /
                       (hidden * share(invocations, static_cast<double>(lanes(machine))));
  return costs.seconds_per_node + std::max(products, moved);
}

}  // namespace nnvk::vulkan
