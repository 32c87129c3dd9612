// Predicts from its shapes how long a node takes on a device: by coefficients per class of operation, which are measured on the
// device (core/runtime/calibration.h) or built in. Pure.
#pragma once

#include <array>
#include <compare>
#include <cstddef>
#include <map>
#include <span>
#include <vector>

#include "core/operations/operation_definition.h"

namespace nnvk {

const char* cost_family_name(CostFamily family);

// Tells which kernels run the node: the device's own (kOwn) or the reference's. A device with one implementation per operation
// uses kOwn.
enum class KernelKind : uint8_t { kOwn, kReference };

// A class of nodes that share coefficients.
struct CostClass {
  CostFamily family = CostFamily::kOther;
  bool is_8bit = false;
  bool channels_first = false;  // NCHW
  KernelKind kernel = KernelKind::kOwn;
  auto operator<=>(const CostClass&) const = default;
};
CostClass cost_class(const OperationView& operation, KernelKind kernel);

// The sizes of a node: the constant 1; multiply-adds (pooling: window cells read); elements read and written; elements of
// weights. The node's time is the sum of its sizes, each multiplied by its rate.
inline constexpr size_t kCostTerms = 4;
using CostSizes = std::array<double, kCostTerms>;
using CostRates = std::array<double, kCostTerms>;  // seconds for one of each, none negative
// Returns the sizes of a node; unknown dimensions count as 1.
CostSizes cost_sizes(const OperationView& operation);
double seconds_of(const CostSizes& sizes, const CostRates& rates);

// One measured node.
struct CostSample {
  CostSizes sizes{};
  double seconds = 0;  // above 0
};
// Returns rates that fit the samples. A prediction of twice the measured time is as bad as one of half the time. The function
// scales `assumed` (not all 0), then departs from it as far as the samples justify. Without samples it returns `assumed`.
CostRates fit_cost_rates(std::span<const CostSample> samples, const CostRates& assumed);

// The cost for a device to work on data of the host. Data from one device to another passes through the host.
struct TransferCosts {
  double seconds_per_step = 0;    // submission and completion
  double seconds_per_tensor = 0;  // copied to the device or back, whatever its size
  double seconds_per_byte = 0;
  auto operator<=>(const TransferCosts&) const = default;
};
// Costs assumed for devices that compute directly on the host's data, and for all other devices.
inline constexpr TransferCosts kTransfersInPlace{.seconds_per_step = 2e-6, .seconds_per_byte = 1e-12};
inline constexpr TransferCosts kTransfersByCopies{
    .seconds_per_step = 60e-6, .seconds_per_tensor = 2e-6, .seconds_per_byte = 0.25e-9};

// The assumed costs of a kind of kernel that nobody has measured.
struct AssumedCosts {
  double seconds_per_node = 0;
  double seconds_per_multiply_add = 0;  // of floats
  double seconds_per_element = 0;       // read or written
  double seconds_per_function = 0;      // of a transcendental function, or of a neighbour that is weighted
  double product_factor_8bit = 1;       // seconds of an 8-bit multiply-add, relative to a float's
  double factor_channels_first = 1;     // of everything, for NCHW
};

// Returns a text that changes with the source files that predict and measure times: the build computes it from them.
const char* cost_model_version();

// The result of a device's calibration.
struct MeasuredCosts {
  std::map<CostClass, CostRates> rates;
  TransferCosts transfers;
  std::vector<std::byte> choices = {};  // by the device, in its own format (Device::measure_choices())
  bool operator==(const MeasuredCosts&) const = default;
};

class CostModel {
 public:
  // Makes the model of a device with one kind of kernel and with memory of its own.
  explicit CostModel(const AssumedCosts& own) : CostModel(own, own, kTransfersByCopies) {}
  CostModel(const AssumedCosts& own, const AssumedCosts& reference, const TransferCosts& transfers)
      : assumed_{own, reference}, transfers_(transfers) {}

  double predicted_seconds(const OperationView& operation, KernelKind kernel) const;
  CostRates assumed_rates(const CostClass& kind) const;
  const TransferCosts& transfers() const { return transfers_; }
  // Uses measured costs instead of the assumed ones for their classes.
  void use(MeasuredCosts measured) {
    measured_ = std::move(measured.rates);
    transfers_ = measured.transfers;
  }
  bool is_measured() const { return !measured_.empty(); }
  // Returns a time that the device has predicted without this model, multiplied by the factor of multiply_by().
  double corrected(double seconds) const { return factor_ * seconds; }
  // Multiplies all predictions by this factor from now on.
  void multiply_by(double factor) { factor_ *= factor; }

 private:
  std::array<AssumedCosts, 2> assumed_;  // by KernelKind
  std::map<CostClass, CostRates> measured_;
  TransferCosts transfers_;
  double factor_ = 1;
};

}  // namespace nnvk
