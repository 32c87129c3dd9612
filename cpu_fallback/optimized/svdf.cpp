// SVDF in floats, with constant feature weights: features as a product, then the memory of every filter.
#include "core/operations/parameters/svdf_parameters.h"

#include <algorithm>

#include "cpu_fallback/optimized/families.h"
#include "cpu_fallback/optimized/rows/recurrent_rows.h"

namespace nnvk::cpu {
namespace {
using namespace svdf;

class SvdfKernel final : public OptimizedKernel {
 public:
  SvdfKernel(const OperationView& operation, const SvdfParameters& parameters)
      : p_(parameters), weights_(p_.input_size, p_.filters), start_(zeros(weights_.columns())) {
    weights_.put(constant_floats(operation.inputs[kFeatureWeights]), p_.filters, 0, 0);
  }
  size_t scratch_bytes() const override { return p_.batch * weights_.columns() * sizeof(float); }
  const char* name() const override { return "float filters"; }

  void run(const KernelMemory& memory, ThreadPool& threads) const override {
    auto* const features = reinterpret_cast<float*>(memory.scratch);
    const auto* const input = memory.input<float>(kInput);
    threads.parallel_rows(weights_.panels(), weights_.panel_nanoseconds(p_.batch), 1, [&](size_t first, size_t end) {
      RecurrentProduct product{.rows = p_.batch, .start = start_.data(), .sums = features, .sums_stride = weights_.columns()};
      product.factors[0] = {input, p_.input_size, p_.input_size};
      multiply_panels(weights_, product, first, end);
    });
    const double unit_nanoseconds = static_cast<double>(p_.rank * p_.memory);
    threads.parallel_rows(size_t{p_.batch} * p_.units, unit_nanoseconds, 1, [&](size_t first, size_t end) {
      for (size_t i = first; i < end; ++i) filter_unit(memory, features, i / p_.units, i % p_.units);
    });
  }

 private:
  // Computes a unit. The last entry of a filter's memory is for the newest feature: the state leaves it free on input and on
  // output.
  void filter_unit(const KernelMemory& memory, const float* features, size_t b, size_t unit) const {
    const auto* const time_filter = memory.input<float>(kTimeFilter);
    const size_t last = p_.memory - 1;
    float sum = 0.0F;
    for (size_t f = unit * p_.rank; f < (unit + 1) * p_.rank; ++f) {
      const size_t row = (b * p_.filters + f) * p_.memory;
      const float* const before = memory.input<float>(kState) + row;
      float* const after = memory.output<float>(kNewState) + row;
      const float* const weights = time_filter + f * p_.memory;
      const float feature = features[b * weights_.columns() + f];
      float filtered = 0.0F;
      for (size_t m = 0; m < last; ++m) filtered += before[m] * weights[m];
      sum += filtered + feature * weights[last];
      if (last > 0) {
        std::copy_n(before + 1, last - 1, after);
        after[last - 1] = feature;
      }
      after[last] = 0.0F;
    }
    const auto* const bias = memory.input<float>(kBias);
    const ActivationBounds bounds = float_activation_bounds(p_.activation);
    const float result = sum + (p_.has_bias ? bias[unit] : 0.0F);
    memory.output<float>(kOutput)[b * p_.units + unit] = std::min(std::max(result, bounds.lo), bounds.hi);
  }

  const SvdfParameters p_;
  RecurrentPanels weights_;
  AlignedBuffer<float> start_;
};

std::unique_ptr<OptimizedKernel> svdf_filters(const KernelNode& node) {
  const auto parameters = svdf_parameters(node.operation);
  const bool is_float = node.operation.input(kInput).type == OperandType::kTensorFloat32;
  const bool is_constant = node.operation.inputs[kFeatureWeights].value.data() != nullptr;
  if (!parameters || !is_float || !is_constant || node.has_epilogue()) return nullptr;
  return std::make_unique<SvdfKernel>(node.operation, *parameters);
}

constexpr auto kRows = rounding_halves_once({{OperationCode::kSvdf, svdf_filters}});

}  // namespace

std::span<const OptimizedRow> optimized_svdf_kernels() { return kRows; }

}  // namespace nnvk::cpu
