#include "vulkan/traits/machine_model.h"

#include <algorithm>

namespace nnvk::vulkan {
namespace {

// A typical machine of a vendor and kind, because no extension of Vulkan reports clocks or bandwidths.
struct TypicalMachine {
  MachineKind kind;
  GpuVendor vendor;
  uint32_t compute_units;
  uint32_t lanes_per_unit;
  double clock;        // Hz
  double bandwidth;    // bytes per second; GPUs with memory of their own have more of it the more units they have
  double matrix_gain;  // see matrix_gain()
};

// Figures from the vendors' data sheets of the products in the comments. The row of a kind with kOther serves all vendors without
// a row of their own.
constexpr TypicalMachine kTypicalMachines[] = {
    // Lavapipe on two cores, which moves the elements of matrices between lanes one by one.
    {MachineKind::kSoftware, GpuVendor::kOther, 2, 8, 3e9, 16e9, 0.1},
    // Radeon RX 6700 XT: 40 compute units, 384 GB/s. RDNA3's matrices: 256 halves per clock and unit against 64 floats.
    {MachineKind::kDiscrete, GpuVendor::kAmd, 40, 64, 2.4e9, 384e9, 4},
    // GeForce RTX 3060: 28 multiprocessors, 360 GB/s. Tensor cores: 4 times as fast with sums of halves, more in data centers.
    {MachineKind::kDiscrete, GpuVendor::kNvidia, 28, 128, 1.78e9, 360e9, 4},
    // Arc A770: 32 Xe cores of 16 vector engines with 8 lanes, 560 GB/s. Its matrix engines: 8 times the vector engines.
    {MachineKind::kDiscrete, GpuVendor::kIntel, 32, 128, 2.1e9, 560e9, 8},
    {MachineKind::kDiscrete, GpuVendor::kOther, 36, 64, 1.8e9, 300e9, 4},
    // Radeon 780M: 12 compute units, LPDDR5 of 128 bits.
    {MachineKind::kIntegrated, GpuVendor::kAmd, 12, 64, 2.7e9, 90e9, 2},
    // Iris Xe of the 11th Core generation: 96 execution units of 8 lanes, DDR4 of 128 bits.
    {MachineKind::kIntegrated, GpuVendor::kIntel, 6, 128, 1.3e9, 50e9, 2},
    {MachineKind::kIntegrated, GpuVendor::kOther, 8, 64, 1.2e9, 40e9, 2},
    // Mali-G78 MP14 of 2021: 14 cores of 64 lanes, LPDDR5 of 64 bits.
    {MachineKind::kMobile, GpuVendor::kArm, 14, 64, 0.76e9, 44e9, 2},
    // Adreno 650 of 2020: 512 lanes, LPDDR5 of 64 bits.
    {MachineKind::kMobile, GpuVendor::kQualcomm, 2, 256, 0.59e9, 44e9, 2},
    {MachineKind::kMobile, GpuVendor::kOther, 8, 32, 0.8e9, 25e9, 2},
};

constexpr const TypicalMachine& typical(MachineKind kind, GpuVendor vendor) {
  const TypicalMachine* found = nullptr;
  for (const TypicalMachine& machine : kTypicalMachines) {
    if (machine.kind != kind) continue;
    if (machine.vendor == vendor) return machine;
    if (machine.vendor == GpuVendor::kOther) found = &machine;
  }
  return *found;
}

constexpr const TypicalMachine& typical(const Machine& machine) { return typical(machine.kind, machine.vendor); }

// The share of a machine's peaks that general kernels reach on whole networks.
constexpr double kShareOfLanes = 0.25;
constexpr double kShareOfBandwidth = 0.5;
constexpr double kBytesPerElement = 4;

uint64_t lanes(const Machine& machine) {
  const TypicalMachine& usual = typical(machine);
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

double peak_multiply_adds(const Machine& machine) {
  if (machine.speed) return machine.speed->multiply_adds_per_second;
  return static_cast<double>(lanes(machine)) * typical(machine).clock;
}

double bytes_per_second(const Machine& machine) {
  if (machine.speed) return machine.speed->bytes_per_second;
  const TypicalMachine& usual = typical(machine);
  if (machine.kind != MachineKind::kDiscrete || machine.compute_units == 0) return usual.bandwidth;
  return usual.bandwidth * machine.compute_units / usual.compute_units;
}

uint64_t wanted_invocations(const Machine& machine) {
  constexpr uint64_t kSoftwareInvocations = 256;  // enough work groups for every core of a large processor
  return machine.kind == MachineKind::kSoftware ? kSoftwareInvocations : kWantedPerLane * lanes(machine);
}

double matrix_gain(const Machine& machine) { return typical(machine).matrix_gain; }

AssumedCosts assumed_costs(const Machine& machine) {
  if (machine.kind == MachineKind::kSoftware) return kSoftwareCosts;
  const double element = kBytesPerElement / (bytes_per_second(machine) * kShareOfBandwidth);
  const double unmeasured = machine.kind == MachineKind::kMobile ? 15e-6 : 6e-6;
  return {.seconds_per_node = machine.speed ? machine.speed->seconds_per_dispatch : unmeasured,
          .seconds_per_multiply_add = 1 / (peak_multiply_adds(machine) * kShareOfLanes),
          .seconds_per_element = element,
          .seconds_per_function = element,
          .factor_channels_first = 1.8};
}

TransferCosts transfer_costs(const MachineSpeed& speed) {
  // The copy of a tensor is a command of the submission; the host copies every byte as well, into or out of mapped memory.
  constexpr double kHostBytesPerSecond = 8e9;
  return {.seconds_per_step = speed.seconds_per_submission,
          .seconds_per_tensor = speed.seconds_per_dispatch,
          .seconds_per_byte = 1 / speed.uploaded_bytes_per_second + 1 / kHostBytesPerSecond};
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
