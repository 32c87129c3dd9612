// SVDF: a feature product is pushed into a memory of the last steps per filter, which a time filter then weighs.
#include "core/operations/parameters/svdf_parameters.h"
#include "cpu_fallback/reference/families.h"
#include "cpu_fallback/reference/tensor_access.h"

namespace nnvk::cpu {
namespace {

Status svdf(KernelContext& context) {
  NNVK_ASSIGN(const SvdfParameters p, svdf_parameters(context.operation));
  const FloatInput input(context, svdf::kInput);
  const FloatInput features(context, svdf::kFeatureWeights);
  const FloatInput time_filter(context, svdf::kTimeFilter);
  const FloatInput state_in(context, svdf::kState);
  FloatOutput state_out(context, svdf::kNewState);
  FloatOutput output(context, svdf::kOutput);
  const ActivationBounds bounds = float_activation_bounds(p.activation);
  std::vector<float> sums(size_t{p.batch} * p.units, 0.0F);
  DeadlineWatch watch;
  for (size_t b = 0; b < p.batch; ++b) {
    for (size_t f = 0; f < p.filters; ++f) {
      watch.look();
      float feature = 0.0F;
      for (size_t i = 0; i < p.input_size; ++i) feature += input[b * p.input_size + i] * features[f * p.input_size + i];
      // The last entry of a filter's memory is for the newest feature: the state leaves it free on input and on output.
      const size_t row = (b * p.filters + f) * p.memory;
      float filtered = 0.0F;
      for (size_t m = 0; m < p.memory; ++m) {
        const float value = m + 1 < p.memory ? state_in[row + m] : feature;
        filtered += value * time_filter[f * p.memory + m];
        if (m > 0) state_out[row + m - 1] = value;
      }
      state_out[row + p.memory - 1] = 0.0F;
      sums[b * p.units + f / p.rank] += filtered;
    }
  }
  std::vector<float> bias = optional_floats(context, svdf::kBias);
  bias.resize(p.units, 0.0F);
  for (size_t i = 0; i < sums.size(); ++i) output[i] = clamp_float(sums[i] + bias[i % p.units], bounds);
  return {};
}

constexpr KernelRow kRows[] = {{OperationCode::kSvdf, svdf}};

}  // namespace

std::span<const KernelRow> svdf_kernels() { return kRows; }

}  // namespace nnvk::cpu
