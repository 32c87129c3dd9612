// How long a node takes on a device, predicted from its shapes: coefficients per class of operation, measured on the device
// (core/runtime/calibration.h) or built in. Pure.
#pragma once

#include <array>
#include <compare>
#include <cstddef>
#include <map>
#include <span>
#include <vector>

#include "core/operations/operation_definition.h"

namespace nnvk {

// Operations whose times follow the same sizes.
enum class CostFamily : uint8_t {
  kConvolution,  // with a window of several cells
  kPointwise,    // 1x1 convolutions
  kDepthwise,
  kTransposedConvolution,
  kMatrix,       // fully connected, matrix products, recurrent layers
  kElementwise,  // of tensors of one shape, or of one tensor
  kBroadcast,    // of tensors of different shapes
  kFunction,     // transcendental, element by element
  kNormalization,
  kPooling,
  kResize,
  kReduction,
  kMovement,
  kConversion,  // between types
  kOther,
};
inline constexpr size_t kCostFamilyCount = static_cast<size_t>(CostFamily::kOther) + 1;
const char* cost_family_name(CostFamily family);

// What runs a node. A device with one implementation per operation has its own alone.
enum class KernelKind : uint8_t { kOwn, kReference };

// Nodes that share coefficients.
struct CostClass {
  CostFamily family = CostFamily::kOther;
  bool is_8bit = false;
  bool channels_first = false;  // NCHW
  KernelKind kernel = KernelKind::kOwn;
  auto operator<=>(const CostClass&) const = default;
};
CostClass cost_class(const OperationView& operation, KernelKind kernel);

// What a time is a sum of: one; multiply-adds (of pooling: cells looked at); elements read and written; elements of weights.
inline constexpr size_t kCostTerms = 4;
using CostSizes = std::array<double, kCostTerms>;
using CostRates = std::array<double, kCostTerms>;  // seconds for one of each, none negative
// Unknown dimensions count as 1.
CostSizes cost_sizes(const OperationView& operation);
double seconds_of(const CostSizes& sizes, const CostRates& rates);

// One measured node.
struct CostSample {
  CostSizes sizes{};
  double seconds = 0;  // above 0
};
// Rates that say neither too much nor too little of the samples, errors counted as ratios: `assumed`, scaled, and from there as
// far as the samples say more than that. `assumed` are not all 0. No samples: `assumed`.
CostRates fit_cost_rates(std::span<const CostSample> samples, const CostRates& assumed);

// What it takes to have a device work on data of the host. Between two devices data goes through the host.
struct TransferCosts {
  double seconds_per_step = 0;    // submission and completion
  double seconds_per_tensor = 0;  // brought or taken away, whatever its size
  double seconds_per_byte = 0;
  auto operator<=>(const TransferCosts&) const = default;
};
// Assumed of devices that compute where the host has its data, and of all others.
inline constexpr TransferCosts kTransfersInPlace{.seconds_per_step = 2e-6, .seconds_per_byte = 1e-12};
inline constexpr TransferCosts kTransfersByCopies{
    .seconds_per_step = 60e-6, .seconds_per_tensor = 2e-6, .seconds_per_byte = 0.25e-9};

// What is assumed of a kind of kernel that nobody has measured.
struct AssumedCosts {
  double seconds_per_node = 0;
  double seconds_per_multiply_add = 0;  // of products of floats
  double seconds_per_element = 0;       // read or written
  double seconds_per_function = 0;      // transcendental, or a weighed neighbour
  double product_factor_8bit = 1;       // seconds of an 8-bit multiply-add in those of a float's
  double factor_channels_first = 1;     // of everything, for NCHW
};

// Changes with the sources of what predicts and what measures. Made by the build.
const char* cost_model_version();

// What a calibration has found of a device.
struct MeasuredCosts {
  std::map<CostClass, CostRates> rates;
  TransferCosts transfers;
  std::vector<std::byte> choices = {};  // of the device's own, in a form that it knows (Device::measure_choices())
  bool operator==(const MeasuredCosts&) const = default;
};

class CostModel {
 public:
  // For a device with one kind of kernel, and data of its own.
  explicit CostModel(const AssumedCosts& own) : CostModel(own, own, kTransfersByCopies) {}
  CostModel(const AssumedCosts& own, const AssumedCosts& reference, const TransferCosts& transfers)
      : assumed_{own, reference}, transfers_(transfers) {}

  double predicted_seconds(const OperationView& operation, KernelKind kernel) const;
  CostRates assumed_rates(const CostClass& kind) const;
  const TransferCosts& transfers() const { return transfers_; }
  // Measured costs, in the place of what is assumed for their classes.
  void use(MeasuredCosts measured) {
    measured_ = std::move(measured.rates);
    transfers_ = measured.transfers;
  }
  bool is_measured() const { return !measured_.empty(); }
  // What a device knows better than its classes, with the factor of multiply_by().
  double corrected(double seconds) const { return factor_ * seconds; }
  // Predicts this many times as much from now on.
  void multiply_by(double factor) { factor_ *= factor; }

 private:
  std::array<AssumedCosts, 2> assumed_;  // by KernelKind
  std::map<CostClass, CostRates> measured_;
  TransferCosts transfers_;
  double factor_ = 1;
};

}  // namespace nnvk
