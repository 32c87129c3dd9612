// Estimates a GPU's speed: from a probe's measurements, else from its driver's reports, its vendor and its kind. Pure. The choice
// of kernels uses the estimates, and so do predicted times of nodes until a calibration has measured them.
#pragma once

#include <cstdint>
#include <optional>

#include "core/operations/cost_model.h"

namespace nnvk::vulkan {

enum class MachineKind : uint8_t {
  kSoftware,    // lavapipe and friends
  kDiscrete,    // memory of its own
  kIntegrated,  // part of a desktop or laptop processor
  kMobile,      // part of a phone's or board's processor
};

// The makers whose GPUs have figures of their own; all others share those of a kind.
enum class GpuVendor : uint8_t { kOther, kAmd, kNvidia, kIntel, kArm, kQualcomm };

// Speeds that a probe has measured (vulkan/machine_probe.h). All are above 0.
struct MachineSpeed {
  double multiply_adds_per_second = 0;   // of float32, in registers
  double bytes_per_second = 0;           // read or copied, in 16 or 32 MiB of the device's memory
  double uploaded_bytes_per_second = 0;  // copied to the device from memory that the host has mapped
  double seconds_per_dispatch = 0;       // of a small dispatch after another one
  double seconds_per_submission = 0;     // until the host knows that a small dispatch has ended
  bool operator==(const MachineSpeed&) const = default;
};

// Numbers are 0 if the driver does not report them.
struct Machine {
  MachineKind kind = MachineKind::kDiscrete;
  uint32_t compute_units = 0;   // compute units, streaming multiprocessors, shader cores
  uint32_t lanes_per_unit = 0;  // float32 multiply-adds that a unit finishes per clock
  GpuVendor vendor = GpuVendor::kOther;
  std::optional<MachineSpeed> speed = std::nullopt;  // nothing until a probe has measured it
};

// Returns how many float32 multiply-adds per second the machine makes if all lanes do nothing else.
double peak_multiply_adds(const Machine& machine);
// Returns the bandwidth of the machine's memory: as measured, else from its vendor and kind and, for kDiscrete, its units.
double bytes_per_second(const Machine& machine);
// How many of the wanted invocations each lane of a GPU gets.
inline constexpr uint64_t kWantedPerLane = 4;
// Returns how many invocations fill every lane several times over, so that a dispatch hides the latency of its memory.
uint64_t wanted_invocations(const Machine& machine);
// Returns, for a machine with cooperative matrices, a low estimate of their throughput for halves or bytes relative to float32.
double matrix_gain(const Machine& machine);
// Throughput of byte products relative to float32 on a device with fast dot products: four at once, and some work around them.
inline constexpr double kDotProductGain = 2;

// The work of a dispatch, for a prediction of its time.
struct DispatchWork {
  uint64_t multiply_adds = 0;
  double gain = 1;     // throughput of these multiply-adds relative to float32
  uint64_t bytes = 0;  // read and written
  uint64_t invocations = 1;
  uint32_t subgroups_per_simd = 0;  // how many the pipeline's registers let run at once; 0: unknown
  bool operator==(const DispatchWork&) const = default;
};
// Returns the time of a dispatch at the machine's peaks, with all lanes busy and no wait: of its multiply-adds or of its memory
// accesses, whichever is longer.
double roofline_seconds(const DispatchWork& work, const Machine& machine);
// Predicts the time of a dispatch: its wait for earlier ones, plus the time of its multiply-adds or of its memory accesses,
// whichever is longer. With few invocations, or few subgroups that run at once, lanes are idle and both take longer.
double predicted_seconds(const DispatchWork& work, const Machine& machine);

// Returns the costs of kernels on this machine, assumed until they are measured.
AssumedCosts assumed_costs(const Machine& machine);
// Returns the costs of submissions, and of copies between host and device, from a probe's measurements.
TransferCosts transfer_costs(const MachineSpeed& speed);

}  // namespace nnvk::vulkan
