// Finds the class and the sizes of an operation, predicts its time, and fits the rates to measured times.
#include "core/operations/cost_model.h"

#include <algorithm>
#include <cmath>

#include "core/operations/parameters/window_parameters.h"
#include "core/operations/work_estimate.h"

namespace nnvk {
namespace {

bool is_pointwise(const OperationView& operation) {
  const Shape& filter = operation.shape(convolution::kFilter);
  return filter.rank() == 4 && filter[1] == 1 && filter[2] == 1;
}

// Returns true if all inputs that are read have the shape of the result.
bool has_one_shape(const OperationView& operation) {
  return std::ranges::all_of(operation.inputs, [&](const OperandView& input) {
    return !input.present || input.info->shape.rank() == 0 || operation.outputs.empty() ||
           input.info->shape == operation.output(kFirstOutput).shape;
  });
}

CostFamily family_of(const OperationView& operation) {
  const OperationDefinition* const row = find_operation(operation.code);
  const CostFamily family = row == nullptr ? CostFamily::kOther : row->cost;
  if (family == CostFamily::kConvolution && is_pointwise(operation)) return CostFamily::kPointwise;
  if (family == CostFamily::kElementwise && !has_one_shape(operation)) return CostFamily::kBroadcast;
  return family;
}

bool is_window(CostFamily family) { return family <= CostFamily::kTransposedConvolution || family == CostFamily::kPooling; }

constexpr CostRates times(const CostRates& rates, double factor) {
  CostRates product = rates;
  for (double& rate : product) rate *= factor;
  return product;
}

// Returns the weight of a sample. A linear least-squares fit with this weight minimizes log(predicted / measured)^2: twice the
// measured time is as bad as half.
double weight_of(double predicted, double measured) {
  const double log_ratio = std::log(predicted / measured);
  constexpr double kEqual = 1e-6;
  return std::abs(log_ratio) < kEqual ? 1.0 / (measured * measured) : log_ratio / (predicted * (predicted - measured));
}

}  // namespace

const char* cost_family_name(CostFamily family) {
  constexpr std::array<const char*, kCostFamilyCount> kNames{
      "convolution",   "1x1 convolution", "depthwise", "transposed convolution",
      "matrix",        "elementwise",     "broadcast", "function",
      "normalization", "pooling",         "resize",    "reduction",
      "movement",      "conversion",      "other"};
  static_assert(kNames.back() != nullptr);
  return kNames[static_cast<size_t>(family)];
}

CostClass cost_class(const OperationView& operation, KernelKind kernel) {
  CostClass kind;
  kind.kernel = kernel;
  if (operation.inputs.empty()) return kind;
  kind.family = family_of(operation);
  kind.is_8bit = element_size(operation.inputs[kFirstInput].info->type) == 1;
  if (is_window(kind.family)) {
    const auto parameters = window_parameters(operation);
    kind.channels_first = parameters && parameters->nchw;
  }
  return kind;
}

CostSizes cost_sizes(const OperationView& operation) {
  CostSizes sizes{1, 0, 0, 0};
  if (operation.inputs.empty()) return sizes;
  auto& [one, multiply_adds, moved, weights] = sizes;
  const CostFamily family = family_of(operation);
  multiply_adds = static_cast<double>(estimate_work(operation).multiply_adds);
  for (size_t i = 0; i < operation.inputs.size(); ++i) {
    if (!operation.has(i) || operation.shape(i).rank() == 0) continue;
    (is_product(family) && i > 0 ? weights : moved) += static_cast<double>(estimate_elements(operation.input(i)));
  }
  double written = 0;
  for (const OperandInfo* output : operation.outputs) written += static_cast<double>(estimate_elements(*output));
  moved += written;
  if (family == CostFamily::kPooling) {
    const auto window = window_parameters(operation);
    if (window) multiply_adds = written * static_cast<double>(window->filter_height) * static_cast<double>(window->filter_width);
  }
  return sizes;
}

double seconds_of(const CostSizes& sizes, const CostRates& rates) {
  double seconds = 0;
  for (size_t term = 0; term < kCostTerms; ++term) seconds += sizes[term] * rates[term];
  return seconds;
}

// Fits by iteratively reweighted least squares: each round weights the samples by the predictions of the round before. Within a
// round, each rate in turn takes its best value while all others stay.
CostRates fit_cost_rates(std::span<const CostSample> samples, const CostRates& assumed) {
  constexpr int kRounds = 1000;
  if (samples.empty()) return assumed;
  double log_ratio = 0;
  for (const CostSample& sample : samples) log_ratio += std::log(sample.seconds / seconds_of(sample.sizes, assumed));
  CostRates rates = times(assumed, std::exp(log_ratio / static_cast<double>(samples.size())));
  std::vector<double> weights(samples.size());
  for (int round = 0; round < kRounds; ++round) {
    for (size_t i = 0; i < samples.size(); ++i) {
      const double measured = samples[i].seconds;
      weights[i] = weight_of(std::max(seconds_of(samples[i].sizes, rates), 1e-3 * measured), measured);
    }
    for (size_t term = 0; term < kCostTerms; ++term) {
      double along = 0;   // projection of the missing time on this term
      double length = 0;  // squared, of the term
      for (size_t i = 0; i < samples.size(); ++i) {
        const CostSample& sample = samples[i];
        along += weights[i] * sample.sizes[term] * (sample.seconds - seconds_of(sample.sizes, rates));
        length += weights[i] * sample.sizes[term] * sample.sizes[term];
      }
      if (length > 0) rates[term] = std::max(0.0, rates[term] + along / length);
    }
  }
  return rates;
}

CostRates CostModel::assumed_rates(const CostClass& kind) const {
  const AssumedCosts& costs = assumed_[static_cast<size_t>(kind.kernel)];
  const double factor = kind.channels_first ? costs.factor_channels_first : 1.0;
  const bool is_plain = kind.family == CostFamily::kElementwise || kind.family == CostFamily::kBroadcast ||
                        kind.family == CostFamily::kMovement || kind.family == CostFamily::kConversion;
  if (is_product(kind.family)) {
    const double multiply_add = costs.seconds_per_multiply_add * (kind.is_8bit ? costs.product_factor_8bit : 1.0);
    return times({costs.seconds_per_node, multiply_add, 0, 0}, factor);
  }
  const double element = is_plain ? costs.seconds_per_element : costs.seconds_per_function;
  return times({costs.seconds_per_node, 0, element, 0}, factor);
}

double CostModel::predicted_seconds(const OperationView& operation, KernelKind kernel) const {
  const CostClass kind = cost_class(operation, kernel);
  const auto found = measured_.find(kind);
  return factor_ * seconds_of(cost_sizes(operation), found != measured_.end() ? found->second : assumed_rates(kind));
}

}  // namespace nnvk
